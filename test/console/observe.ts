/** Observation pages: requests with their own pages, traffic in a selected period, and sessions shown step by step. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { check } from '../support/checks.ts';
import { until, type Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';
import { shellOf } from './sign-in.ts';

export const observe = (gateway: ConsoleGateway, people: Visitors) => {
  const { human, viewer, agent } = gateway.keys;
  const chat = async (model: string, session: string): Promise<number> => {
    const answer = await fetch(`${gateway.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-api-key': agent, 'content-type': 'application/json', 'x-session-id': session },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: `hello ${session}` }] }),
    });
    return answer.status;
  };
  return [
    check('[console.requests] chat calls are filtered through the URL, with pages and totals', async () => {
      assert.equal(await chat('mock', 'chat-1'), 200);
      assert.equal(await chat('no-such-model', 'chat-1'), 404);
      const page = await people.signedIn(human, '#/requests');
      const rows = page.getByRole('table', { name: 'Chat calls, newest first' }).getByRole('row');
      const row = rows.filter({ hasText: 'mock' }).first();
      for (const text of ['completed', 'local-agent', '$0.00']) await row.getByText(text).first().waitFor();
      assert.ok(Number((await row.boundingBox())?.height) < 60, 'a row is one line');
      await page
        .getByRole('status')
        .filter({ hasText: /\d+ calls? .*tokens/ })
        .waitFor();
      await page.getByLabel('Status').selectOption('refused');
      await until('refused calls only', async () => (await rows.filter({ hasText: 'completed' }).count()) === 0);
      await page.waitForURL(/outcome=refused/);
      await page.reload();
      await rows.filter({ hasText: 'no-such-model' }).first().waitFor();
      assert.equal(await page.getByLabel('Status').inputValue(), 'refused');
      await page.getByLabel('Model').fill('nothing-*');
      await page.keyboard.press('Enter');
      await page.getByText('No request matches').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByLabel('Key').selectOption({ label: 'local-agent' });
      await page.getByRole('searchbox', { name: 'Search' }).fill('CHAT-1');
      await page.keyboard.press('Enter');
      await rows.filter({ hasText: 'mock' }).first().waitFor();
      await page.context().close();
    }),
    check('[console.request] a request shows its trace, decision, cost and evidence', async () => {
      assert.equal(await chat('mock', 'chat-2'), 200);
      const page = await people.signedIn(human, '#/requests?text=chat-2');
      await page.getByRole('link', { name: 'mock' }).first().click();
      for (const name of ['Decision', 'Cost', 'Latency', 'Trace', 'Evidence'])
        await page.getByRole('heading', { name, exact: true }).waitFor();
      const spans = page.locator('.waterfall li');
      await spans.filter({ hasText: 'gateway.chat_completion' }).waitFor();
      await spans.filter({ hasText: 'provider.call' }).locator('summary').click();
      const { entries } = (await gateway.call(human, 'GET', 'evidence/sessions/chat-2/export')).body;
      const last = page
        .locator('details')
        .filter({ hasText: /^Entry/ })
        .filter({ hasText: entries.at(-1).hash });
      await last.locator('summary').click();
      await last.getByText(entries.at(-1).hash).first().waitFor();
      await page.goto(`${gateway.url}/console/#/requests/chat-2%2Fnone`);
      await page.getByText('has no entry of this request').waitFor();
      await page.context().close();
    }),
    check(
      '[console.traffic] a time range selected by mouse or keyboard narrows down the numbers and the calls',
      async () => {
        assert.equal(await chat('mock', 'chat-3'), 200);
        const page = await people.signedIn(human, '#/traffic');
        await page.getByRole('heading', { name: 'By decision' }).waitFor();
        const panels = page.locator('.plots .panel svg');
        await until('four panels', async () => (await panels.count()) === 4);
        const widths = await panels.evaluateAll((all) => all.map((panel) => panel.getAttribute('width')));
        assert.equal(new Set(widths).size, 1);
        // The first drawing happens before the plots know their width.
        await until('no text is cut', () =>
          page.locator('.plots text').evaluateAll((all) =>
            all.every((text) => {
              const own = text.getBoundingClientRect();
              const around = text.closest('.plots')!.getBoundingClientRect();
              return own.left >= around.left && own.right <= around.right;
            }),
          ),
        );
        await page.getByLabel('Stack by').selectOption('model');
        const groups = page.getByRole('table', { name: 'Traffic by model' });
        const calls = async () =>
          Number(
            await groups.getByRole('row').filter({ hasText: 'mock' }).first().getByRole('cell').nth(1).innerText(),
          );
        await groups.getByRole('row').filter({ hasText: 'mock' }).first().waitFor();
        const whole = await calls();
        assert.ok(whole > 0);
        // The first half of the hour has no call.
        const box = (await page.locator('.plots').boundingBox())!;
        await page.mouse.move(box.x + box.width * 0.2, box.y + 60);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.3, box.y + 60, { steps: 4 });
        await page.mouse.up();
        await page.getByText('No chat call in this period.').waitFor();
        await until('no call is counted', async () => (await calls()) === 0);
        await page.getByRole('button', { name: 'Clear the selection' }).click();
        await until('all again', async () => (await calls()) >= whole);
        await page.getByRole('slider', { name: /^To / }).focus();
        await page.keyboard.press('Home');
        await page.getByText('No chat call in this period.').waitFor();
        await page.keyboard.press('End');
        await page.getByRole('table', { name: 'Chat calls of this period' }).getByRole('row').nth(1).waitFor();
        await page.getByRole('link', { name: 'Open in Requests' }).click();
        await page.getByRole('heading', { name: 'Requests' }).waitFor();
        await page.waitForURL(/from=.*to=/);
        await page.context().close();
        const others = await people.signedIn(viewer, '#/traffic?span=days');
        await others.getByText('Table of all time steps').click();
        await others.getByRole('table', { name: 'Traffic by time, newest first' }).getByRole('row').nth(1).waitFor();
        assert.equal(await others.getByRole('heading', { name: /^Chat calls from/ }).count(), 0);
        await others.context().close();
      },
    ),
    check(
      '[console.replay] a session is replayed step by step, with buttons, with keys and automatically',
      async () => {
        const session = 'to-replay';
        for (const command of ['ls -la src', 'cat .env'])
          await gateway.call(agent, 'POST', 'test-action', { ...shellOf(command, session) });
        await gateway.review(shellOf('make replay | sh', session));
        const page = await people.signedIn(human, `#/sessions/${session}`);
        const at = page.getByRole('status').filter({ hasText: /^Step \d+ of \d+$/ });
        await at.filter({ hasText: 'Step 3 of 3' }).waitFor();
        await page.getByRole('button', { name: 'Previous' }).click();
        await at.filter({ hasText: 'Step 2 of 3' }).waitFor();
        await page.locator('.replay pre').filter({ hasText: 'cat .env' }).first().waitFor();
        await page.waitForURL(/step=2/);
        await page.locator('.steps [aria-current]').focus();
        await page.keyboard.press('Home');
        await at.filter({ hasText: 'Step 1 of 3' }).waitFor();
        await page.keyboard.press('ArrowDown');
        await at.filter({ hasText: 'Step 2 of 3' }).waitFor();
        await page.keyboard.press('End');
        await at.filter({ hasText: 'Step 3 of 3' }).waitFor();
        // A step lasts less than a second, so the page keeps its earlier content.
        await page.evaluate(`
        window.shown = [];
        new MutationObserver(() => {
          const text = document.querySelector('.player [role=status]').textContent;
          if (window.shown.at(-1) !== text) window.shown.push(text);
        }).observe(document.querySelector('.player'), { subtree: true, childList: true, characterData: true });
      `);
        const replay = page.getByRole('button', { name: 'Replay', exact: true });
        await replay.click();
        const steps = [1, 2, 3].map((step) => `Step ${step} of 3`);
        await until('each step was shown', async () =>
          isDeepStrictEqual(
            await page.evaluate('window.shown.filter((each, at) => at > 0 || !each.startsWith("Step 3"))'),
            steps,
          ),
        );
        await replay.waitFor();
        await page.goto(`${gateway.url}/console/#/sessions?state=waiting`);
        await page.getByRole('row').filter({ hasText: session }).filter({ hasText: 'waiting' }).waitFor();
        await page.context().close();
      },
    ),
  ];
};
