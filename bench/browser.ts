/**
 * Verification of evidence in the console's worker, in a real Chromium, with 10,000 and 100,000 entries. The bench
 * builds a session of that length and signs it with its own key; the page is served by a local run. Skipped if Chromium
 * is not installed.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { browserProgram, type Visitors, visitors } from '../test/console/browser.ts';
import { consoleGateway } from '../test/console/gateway.ts';
import { draft } from './evidence.ts';
import { longBundle } from './long-bundle.ts';

const lengths = [10_000, 100_000];

export async function benchBrowser(): Promise<Record<string, number>> {
  const program = browserProgram();
  if (program === undefined) {
    console.log('  skipped: no Chromium was found on this machine; set CHROMIUM to its path');
    return {};
  }
  const gateway = await consoleGateway();
  const folder = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const people = await visitors(program, gateway.url);
  const figures: Record<string, number> = {};
  try {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = String(publicKey.export({ type: 'spki', format: 'pem' }));
    for (const entries of lengths) {
      const file = join(folder, `${entries}.json`);
      await writeFile(file, await longBundle(entries, draft, privateKey, pem));
      const { seconds, cpuSeconds, reports } = await verifiedIn(people, gateway.keys.human, file, pem, entries);
      const name = `${entries.toLocaleString('en')} entries`;
      figures[`${name}, s`] = seconds;
      figures[`${name}, processor time of the pages, s`] = cpuSeconds;
      figures[`${name}, progress updates shown`] = reports;
    }
  } finally {
    await people.close();
    await gateway.end();
    await rm(folder, { recursive: true, force: true });
  }
  return figures;
}

/** Measures the time from the button press to the verdict on the page, and how often the page reported progress. */
async function verifiedIn(people: Visitors, key: string, file: string, pem: string, entries: number) {
  const page = await people.signedIn(key, '#/sessions');
  page.setDefaultTimeout(600_000);
  await page.getByLabel('Bundle (JSON)').setInputFiles(file);
  await page.getByLabel(/^Trusted public key/).fill(pem);
  await page.evaluate(`(() => {
    window.measured = { reports: 0 };
    const [form] = [...document.forms].filter((each) => each.querySelector('#bundle'));
    form.addEventListener('submit', () => { window.measured.from = performance.now(); }, true);
    new MutationObserver(() => {
      const text = [...document.querySelectorAll('[role=status]')].map((each) => each.textContent).join(' ');
      if (/entries so far/.test(text)) window.measured.reports++;
      if (/Valid:|Not valid/.test(text)) window.measured.to ??= performance.now();
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  })()`);
  const before = await cpuOf(page);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText(`Valid: ${entries.toLocaleString('en')} entries, verified in this browser.`).waitFor();
  const { from, to, reports } = (await page.evaluate('window.measured')) as {
    from: number;
    to: number;
    reports: number;
  };
  const cpuSeconds = (await cpuOf(page)) - before;
  await page.context().close();
  return { seconds: (to - from) / 1000, cpuSeconds, reports };
}

/**
 * Returns the CPU time of the processes that run pages and their workers. Unlike elapsed time, it does not depend on
 * other load on the machine.
 */
async function cpuOf(page: Page): Promise<number> {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}
