# SPDX-License-Identifier: GPL-2.0-only
#
# browser.py - a headless Chromium, driven over a pipe (the DevTools protocol), with nothing but Python's own library
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 120


class Browser:
    """One browser with one page at a time. What a page's script throws, and what its policy refuses, is in .troubles."""

    def __init__(self):
        program = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
        if not program:
            raise SystemExit('browser.py: there is no chromium: tests/setup.sh page installs it')
        self.profile = tempfile.mkdtemp(prefix='bprobe-page.')
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()
        # Above the numbers that the browser wants, so that neither dup2 replaces the other one.
        ends = [os.dup(self.above(to_browser)), os.dup(self.above(from_browser))]

        def connect():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [program, '--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-extensions', '--disable-dev-shm-usage',
             '--disable-background-networking', '--disable-component-update', '--disable-sync', '--user-data-dir=' + self.profile,
             '--force-device-scale-factor=1', '--remote-debugging-pipe', 'about:blank'],
            preexec_fn=connect, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in [to_browser, from_browser] + ends:
            os.close(fd)
        self.number = 0
        self.buffer = b''
        self.session = None
        self.troubles = []
        self.requests = []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')

    @staticmethod
    def above(fd):
        import fcntl
        new = fcntl.fcntl(fd, fcntl.F_DUPFD, 10)
        return new

    def message(self):
        deadline = time.monotonic() + PATIENCE
        while b'\0' not in self.buffer:
            ready, _, _ = select.select([self.inp], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.inp, 1 << 20) if ready else b''
            if not piece:
                raise SystemExit('browser.py: the browser does not answer')
            self.buffer += piece
        text, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(text)

    def note(self, message):
        params = message.get('params', {})
        if message.get('method') == 'Runtime.exceptionThrown':
            details = params['exceptionDetails']
            self.troubles.append(details.get('exception', {}).get('description') or details['text'])
        elif message.get('method') == 'Log.entryAdded':
            self.troubles.append(params['entry']['text'])
        elif message.get('method') == 'Page.javascriptDialogOpening':
            self.troubles.append('dialog: ' + params['message'])
        elif message.get('method') == 'Network.requestWillBeSent':
            self.requests.append(params['request']['url'])

    def call(self, method, **params):
        self.number += 1
        request = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            request['sessionId'] = self.session
        os.write(self.out, json.dumps(request).encode() + b'\0')
        while True:
            answer = self.message()
            if answer.get('id') == self.number:
                break
            self.note(answer)
        if 'error' in answer:
            raise SystemExit('browser.py: %s: %s' % (method, answer['error']['message']))
        return answer['result']

    def open(self, path, width, height, dark=False, touch=False, script=True):
        """Opens a file. Returns the seconds until its script was ready."""
        self.troubles, self.requests = [], []
        self.call('Emulation.setScriptExecutionDisabled', value=not script)
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self.call('Emulation.setTouchEmulationEnabled', enabled=touch, maxTouchPoints=5 if touch else 1)
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        start = time.monotonic()
        self.call('Page.navigate', url='file://' + os.path.abspath(path))
        self.until('document.readyState === "complete" && location.protocol === "file:"')
        if script:
            self.until('document.documentElement.dataset.ready')
        return time.monotonic() - start

    def value(self, expression):
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise SystemExit('browser.py: %s: %s' % (expression, answer['exceptionDetails']['exception'].get('description')))
        return answer['result'].get('value')

    def until(self, expression):
        deadline = time.monotonic() + PATIENCE
        while not self.value(expression):
            if time.monotonic() > deadline:
                raise SystemExit('browser.py: not within %d s: %s' % (PATIENCE, expression))
            time.sleep(0.02)

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.value('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))')

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse('mouseMoved', x, y)
        self.mouse('mousePressed', x, y, button='left', clickCount=1)
        self.mouse('mouseReleased', x, y, button='left', clickCount=1)
        self.settle()

    def middle(self, selector):
        """The middle of an element that is scrolled into sight."""
        return self.value('''(() => { const e = document.querySelector(%s); e.scrollIntoView({ block: 'center' });
            const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()''' % json.dumps(selector))

    def press(self, selector):
        self.click(*self.middle(selector))

    def key(self, key):
        text = key if len(key) == 1 else ''
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, text=text)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key)
        self.settle()

    def type(self, selector, text):
        self.value('(() => { const e = document.querySelector(%s); e.focus(); e.select(); })()' % json.dumps(selector))
        if text:
            self.call('Input.insertText', text=text)
        else:
            self.key('Delete')
            self.value('(() => { const e = document.querySelector(%s); if (e.value) { e.value = ""; e.dispatchEvent(new Event("input")); } })()' %
                       json.dumps(selector))
        self.settle()

    def picture(self, path, whole=True, script=True):
        if script:
            self.value('window.scrollTo(0, 0)')
            self.settle()
        shot = self.call('Page.captureScreenshot', format='png', captureBeyondViewport=whole)
        with open(path, 'wb') as f:
            f.write(base64.b64decode(shot['data']))

    def close(self):
        self.session = None
        try:
            self.call('Browser.close')
            self.process.wait(20)
        except (SystemExit, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
