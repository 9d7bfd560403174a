/** axe-core over a page: WCAG 2.2 A and AA and its best practices. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Each violation with the places where it is. @param within a selector of the part to look at; the whole page without it. */
export async function violationsOf(page: Page, within?: string): Promise<string[]> {
  await page.evaluate(source); // by the debugging protocol, which the policy of the page does not bind
  const results = (await page.evaluate(
    `axe.run(${within === undefined ? 'document' : JSON.stringify(within)})`,
  )) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Whether anything stands out of the page to the side. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
