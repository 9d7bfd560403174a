/**
 * A real browser with the console of a real local gateway. Things that a page must never do are detected on all pages.
 */
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** Returns this machine's browser, or undefined if there is none. It never downloads one. */
export const browserProgram = (): string | undefined => process.env.CHROMIUM ?? places.find((path) => existsSync(path));

/** Timeout for every wait, generous because other programs share the machine. */
const timeoutMs = 60_000;

/** Waits for a condition that locators cannot express. */
export async function until(what: string | (() => string), holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline)
      throw new Error(`not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`);
    await setTimeout(50);
  }
}

/** Waits until a part of the page shows all of these strings, which may come from several responses. */
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

/** Closes a tab whose requests the test answers, abandoning responses that are still being prepared. */
export async function closeAnswered(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
}

/** Returns the tab's node count and memory after garbage collection. Detached nodes are included. */
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
  /**
   * Opens a separate tab at a console location, as another person would. The default location is the approvals page.
   */
  open(hash?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens the console under another of this machine's host names. */
  named(host: string): Promise<Page>;
  /** Opens a tab that is signed in. */
  signedIn(key: string, hash?: string, options?: BrowserContextOptions): Promise<Page>;
  /**
   * Requests to other hosts, script errors, content security policy violations, and dialogs, none of which may ever
   * occur.
   */
  readonly offences: readonly string[];
  /** Methods and paths of the requests, in order. */
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
