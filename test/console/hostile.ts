/** Text from agents that tries to act as more than text. */
import assert from 'node:assert/strict';
import { check } from '../support/checks.ts';
import { scrollsSideways } from './accessible.ts';
import type { Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';

const texts = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(2)</script>',
  '</pre></main><h1>Approved</h1><button>Approve…</button>',
  '"><svg onload=alert(3)>',
  'javascript:alert(4)',
  '{{constructor.constructor("alert(5)")()}}',
  'moc.elpmaxe//:sptth \u202eyltnecni',
  'zero\u200bwidth\u2066isolated',
  'w'.repeat(3000),
  'constructor',
];

export const hostile = (gateway: ConsoleGateway, people: Visitors) => [
  check(
    '[console.hostile-text] markup and invisible characters from agents stay plain text, even at 360 px',
    async () => {
      const ids: string[] = [];
      for (const [at, text] of texts.entries())
        ids.push(
          await gateway.review({
            protocol: 'git',
            tool: 'scm.create_pull_request',
            target: `acme/${text}`,
            capability: 'write',
            parameters: { title: text, head: text, base: 'main', [text]: { nested: [text] }, body: `${text}\n${text}` },
            actor: { agent: text.slice(0, 256), session: `hostile-${at}` },
            justification: text,
          }),
        );
      for (const width of [360, 1280]) {
        const page = await people.signedIn(gateway.keys.human, '#/approvals', { viewport: { width, height: 800 } });
        await page.locator(`a[href="#/approvals/${ids.at(-1)}"]`).waitFor();
        assert.equal(await scrollsSideways(page), false, `the list at ${width}`);
        for (const [at, id] of ids.entries()) {
          await page.goto(`${gateway.url}/console/#/approvals/${id}`);
          await page.getByRole('article').getByText(`hostile-${at}`).waitFor();
          // A call that is truncated in the list has no button until it is shown in full.
          await page.getByRole('button', { name: 'Approve…' }).first().waitFor();
          const found = (await page.evaluate(
            '({ foreign: document.querySelectorAll("img, svg:not(.icon, .logo), svg :not(path, rect), iframe, object, main script, main h1 ~ main").length, approve: [...document.querySelectorAll("button")].filter((button) => button.textContent === "Approve…").length, links: [...document.links].filter((link) => !link.getAttribute("href").startsWith("#/")).length })',
          )) as object;
          assert.deepEqual(found, { foreign: 0, approve: 1, links: 0 }, texts[at]);
          assert.equal(await scrollsSideways(page), false, `${texts[at]?.slice(0, 40)} at ${width}`);
          const shown = await page.getByRole('article').innerText();
          assert.doesNotMatch(shown, /[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/);
          if (texts[at]?.includes('\u202e')) assert.ok(shown.includes('\\u{202e}'));
        }
        await page.context().close();
      }
    },
  ),
];
