/** A real browser on the console of a real local run; what no page may ever do is noticed on all of them. */
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** The browser of this machine; undefined where there is none. Nothing is downloaded. */
export const browserProgram = (): string | undefined => process.env.CHROMIUM ?? places.find((path) => existsSync(path));

/** Other programs share the machine: everything that is waited for has this long. */
const timeoutMs = 60_000;

/** What no locator can wait for. */
export async function until(what: string | (() => string), holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline)
      throw new Error(`not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`);
    await setTimeout(50);
  }
}

/** Waits until a part of the page has all of these texts, which may come with several answers. */
export async function untilShows(part: Locator, texts: readonly string[]): Promise<void> {
  let missing = texts;
  await until(
    () => `${JSON.stringify(missing)} in ${part}`,
    async () => {
      const shown = await part.innerText();
      missing = texts.filter((text) => !shown.includes(text));
      return missing.length === 0;
    },
  );
}

/** Ends a tab whose requests were answered by the test: an answer that is still being made is given up. */
export async function closeAnswered(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
}

/** Returns nodes and memory of the tab after garbage collection; detached nodes count as well. */
export async function heldBy(page: Page): Promise<{ readonly nodes: number; readonly heapMb: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  await session.detach();
  return { nodes: of('Nodes'), heapMb: of('JSHeapUsedSize') / 2 ** 20 };
}

export interface Visitors {
  readonly browser: Browser;
  /** A tab of its own, as of another person, at a place of the console: the approvals, unless another is named. */
  open(hash?: string, options?: BrowserContextOptions): Promise<Page>;
  /** The console under another name of this machine. */
  named(host: string): Promise<Page>;
  /** A tab that is signed in. */
  signedIn(key: string, hash?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Requests to other hosts, faults of scripts, violations of the policy, dialogs: none may ever come. */
  readonly offences: readonly string[];
  /** Methods and paths that were asked, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export async function visitors(program: string, adminUrl: string): Promise<Visitors> {
  const browser: Browser = await chromium.launch({
    executablePath: program,
    args: ['--no-sandbox'],
    timeout: timeoutMs,
  });
  const offences: string[] = [];
  const asked: string[] = [];
  const own = new Set([adminUrl]);
  const watch = (page: Page) => {
    page.setDefaultTimeout(timeoutMs);
    page.on('pageerror', (fault) => offences.push(`script: ${fault.message}`));
    page.on('dialog', (dialog) => {
      offences.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => {});
    });
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) offences.push(`policy: ${message.text()}`);
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (!own.has(url.origin)) offences.push(`another host: ${request.url()}`);
      asked.push(`${request.method()} ${url.pathname}${url.search}`);
    });
    return page;
  };
  const named: Visitors['named'] = async (host) => {
    const url = new URL(adminUrl);
    url.hostname = host;
    own.add(url.origin);
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = watch(await context.newPage());
    await page.goto(`${url.origin}/console/`);
    return page;
  };
  const open: Visitors['open'] = async (hash = '#/approvals', options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = watch(await context.newPage());
    await page.goto(`${adminUrl}/console/${hash}`);
    return page;
  };
  return {
    browser,
    open,
    named,
    signedIn: async (key, hash, options) => {
      const page = await open(hash, options);
      await page.getByLabel('API key or admin token').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('#main').waitFor();
      return page;
    },
    offences,
    asked,
    close: () => browser.close(),
  };
}
