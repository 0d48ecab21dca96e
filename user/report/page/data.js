'use strict';
/*
 * data.js - what the page knows, and how its names and numbers are written. The first of the scripts that embed.sh puts into one.
 *
 * The data (data.c):
 *	strings			all texts; other members have numbers of them. first, span, width: ns. count, lost: events
 *	events			[name, group]
 *	sites			[event, function, count];	tasks: [name, pid, count];	cpus: [cpu, count, lost, some_lost]
 *	gaps			[cpu, from, to, lost]: ns behind the first event; lost -1: not known
 *	hits			of each event: time (ns behind the event before), cpu, task, site, duration (-1: none), text
 *	task_rows, cpu_rows	without hits: number, bins, number, bins, ...; -1: all others. Bins: how many are 0, a count, ...
 *	rows			without hits: [event, function, name, pid, count, first, last, average, longest]
 *	parents, frames, selves, kernel	of each node of the flame graph, but for the root (node 0)
 *
 * Names come from programs that anybody can write. They become text (textContent, or letters on a canvas), and never HTML.
 */
const data = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
const str = (n) => data.strings[n];
const PALETTE = ['#3b76c4', '#e07b39', '#3d9a5f', '#b84a7a', '#8a63c9', '#a08a1f', '#2a9aa5', '#c0504d', '#6d7f2f', '#7a7f87'];

const number = (n) => n.toLocaleString('en');

function time(ns) {
	const units = [['ns', 1], ['us', 1e3], ['ms', 1e6], ['s', 1e9]];
	let unit = units[0];

	for (const u of units)
		if (ns >= u[1])
			unit = u;
	return (unit[1] === 1 ? String(ns) : (ns / unit[1]).toPrecision(ns >= 1000 * unit[1] ? String(Math.floor(ns / unit[1])).length : 4)) + ' ' + unit[0];
}

/* Seconds behind the first event, with all nine digits. */
const point = (ns) => Math.floor(ns / 1e9) + '.' + String(Math.floor(ns % 1e9)).padStart(9, '0');

function create(parent, tag, text, classes) {
	const element = document.createElement(tag);

	if (text !== undefined)
		element.textContent = text;
	if (classes)
		element.className = classes;
	if (parent)
		parent.append(element);
	return element;
}

const eventName = (e) => str(data.events[e][0]);
const siteEvent = (s) => s < data.sites.length ? data.sites[s][0] : -1;
const siteName = (s) => s < data.sites.length ? eventName(data.sites[s][0]) : '(others)';
const siteFunction = (s) => s < data.sites.length ? str(data.sites[s][1]) : '';
const taskName = (t) => t < data.tasks.length ? str(data.tasks[t][0]) : '(others)';
const taskPid = (t) => t < data.tasks.length ? data.tasks[t][1] : -1;
const taskText = (t) => t < data.tasks.length ? taskName(t) + ' ' + taskPid(t) : '(other tasks)';
