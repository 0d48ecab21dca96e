// SPDX-License-Identifier: GPL-2.0-only
//! prog.rs - a program in Rust whose lines and variables programs.sh compares

use std::hint::black_box;

#[derive(Clone, Copy)]
struct Pair {
    a: i32,
    b: i64,
}

struct Mixed {
    id: u16,
    inside: [Pair; 2],
    next: Option<Box<Mixed>>,
}

#[inline(never)]
fn sum_of(pair: &Pair, times: i64) -> i64 {
    let mut sum = 0i64;
    for i in 0..times {
        let step = pair.a as i64 * i;
        sum += black_box(step) + pair.b;
    }
    sum
}

#[inline(always)]
fn twice(n: i64) -> i64 {
    let half = black_box(n);
    half * 2
}

#[inline(never)]
fn depth_of(mixed: &Mixed, depth: u32) -> u32 {
    let id = black_box(mixed.id);
    match &mixed.next {
        Some(next) => depth_of(next, depth + id as u32),
        None => depth + mixed.inside[1].a as u32,
    }
}

#[inline(never)]
fn choose(name: &str, flag: bool, small: u8) -> i64 {
    let len = name.len() as i64;
    let wide = twice(len + small as i64);
    if flag {
        let more = wide + 1;
        black_box(more)
    } else {
        twice(black_box(wide))
    }
}

fn main() {
    let pair = Pair { a: 7, b: 1 << 40 };
    let inner = Mixed { id: 3, inside: [pair, pair], next: None };
    let outer = Mixed { id: 4, inside: [pair, pair], next: Some(Box::new(inner)) };
    let total = sum_of(&pair, 4) + depth_of(&outer, 1) as i64;
    println!("{}", total + choose("abc", total > 0, 5) + choose("", false, 6));
}
