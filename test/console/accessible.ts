/** Runs axe-core on a page, with the rules for WCAG 2.2 A and AA and the best practices. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Returns each violation with its locations. @param within a selector for the part to check; if omitted, the whole
 * page.
 */
export async function violationsOf(page: Page, within?: string): Promise<string[]> {
  await page.evaluate(source); // through the debugging protocol, which the page's content security policy does not restrict
  const results = (await page.evaluate(
    `axe.run(${within === undefined ? 'document' : JSON.stringify(within)})`,
  )) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Checks whether any content overflows the page horizontally. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
