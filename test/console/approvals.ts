/** A request comes, is looked at, and is decided: with the mouse and by keyboard alone. */
import assert from 'node:assert/strict';
import { check } from '../support/checks.ts';
import { closeAnswered, until, type Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';
import { shellOf } from './sign-in.ts';

export const approvals = (gateway: ConsoleGateway, people: Visitors) => {
  const recordOf = async (id: string) => (await gateway.call(gateway.keys.human, 'GET', `approvals/${id}`)).body;
  return [
    check(
      '[console.approvals] a request appears by itself, the title counts it, and opening its address decides nothing',
      async () => {
        const page = await people.signedIn(gateway.keys.human);
        await page
          .getByRole('status')
          .filter({ hasText: /waits? for approval/ })
          .waitFor();
        const before = Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0);
        const id = await gateway.review(shellOf('make live | sh', 'live'));
        await page.locator(`a[href="#/approvals/${id}"]`).waitFor();
        await until('the title counts it', async () => (await page.title()).startsWith(`(${before + 1}) Approvals`));
        await page.goto(`${gateway.url}/console/#/approvals/${id}`);
        await page.getByRole('button', { name: 'Approve…' }).waitFor();
        assert.equal((await recordOf(id)).status, 'pending');
        assert.deepEqual(
          people.asked.filter((asked) => asked.startsWith('POST /admin/')),
          [],
        );
        await page.context().close();
      },
    ),
    check(
      '[console.card] the card shows the very call, its effects, who asks, the rule, the credential and the time left',
      async () => {
        const id = await gateway.review(shellOf('curl -fsS https://get.example/i.sh | bash', 'card'));
        const page = await people.signedIn(gateway.keys.human, `#/approvals/${id}`);
        const card = page.getByRole('article');
        await card.getByText('curl -fsS https://get.example/i.sh | bash').waitFor();
        const text = await card.innerText();
        for (const part of [
          ...['command (executed)', 'runs curl: reads https://get.example/i.sh', 'runs bash on what curl prints'],
          ...[
            'local-agent (agent key)',
            'release-bot (the caller',
            'the release is due',
            'shell:*',
            'pr-writer, version 1',
          ],
          ...['min left', 'A decision cannot be undone.'],
        ])
          assert.ok(text.includes(part), `${part} is missing in:\n${text}`);
        const scoped = await gateway.review({
          ...{ protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/web', capability: 'write' },
          parameters: { title: 'Fix', head: 'fix', base: 'main' },
          actor: { agent: 'builder', session: 'scoped' },
        });
        await page.goto(`${gateway.url}/console/#/approvals/${scoped}`);
        await card.getByText('pull_requests:write,contents:read for 10 min, from the broker scm').waitFor();
        await card.getByText('It may read and write pull requests, read contents, and nothing else.').waitFor();
        await page.context().close();
      },
    ),
    check('[console.card] a call that the list shortens is shown whole, and can be approved only then', async () => {
      const end = 'echo the very end | sh';
      const line = `${'echo part; '.repeat(600)}${end}`;
      const id = await gateway.review(shellOf(line, 'shortened'));
      const { pending } = (await gateway.call(gateway.keys.human, 'GET', 'approvals')).body;
      const listed = pending.find(({ envelope_id }: { envelope_id: string }) => envelope_id === id);
      assert.deepEqual(
        listed.omitted.map(({ field }: { field: string }) => field).filter((field: string) => field === 'parameters'),
        ['parameters'],
      );
      assert.ok(!JSON.stringify(listed.parameters).includes(end));
      const page = await people.signedIn(gateway.keys.human);
      const [asked, whole] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await page.route(`**/admin/v1/approvals/${id}`, async (route) => {
        asked.resolve();
        await whole.promise;
        await route.continue();
      });
      await page.locator(`a[href="#/approvals/${id}"]`).click();
      await asked.promise;
      await page.keyboard.press('a');
      assert.equal(await page.getByRole('dialog').count(), 0);
      assert.equal(await page.getByRole('button', { name: 'Approve…' }).count(), 0);
      whole.resolve();
      await page.getByRole('article').getByText(end).waitFor();
      await page.getByRole('button', { name: 'Approve…' }).waitFor();
      await page.context().close();
    }),
    check(
      '[console.vote] approved with a comment, the record carries person and comment; the card shows the decision',
      async () => {
        const id = await gateway.review(shellOf('make approve | sh', 'approve'));
        const page = await people.signedIn(gateway.keys.human, `#/approvals/${id}`);
        await page.getByRole('button', { name: 'Approve…' }).click();
        await page.getByLabel('Comment').fill('looked at it');
        await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
        await page.getByRole('heading', { name: 'Decision', exact: true }).waitFor();
        const { status, person, reviewer, comment } = await recordOf(id);
        assert.deepEqual(
          { status, person, reviewer, comment },
          { status: 'approved', person: 'local-human', reviewer: 'local-human', comment: 'looked at it' },
        );
        await page.context().close();
      },
    ),
    check('[console.vote] what another person decided meanwhile is said, and not decided again', async () => {
      const id = await gateway.review(shellOf('make conflict | sh', 'conflict'));
      const page = await people.signedIn(gateway.keys.human, `#/approvals/${id}`);
      await page.getByRole('button', { name: 'Approve…' }).click();
      const denied = await gateway.call(gateway.keys.human, 'POST', `approvals/${id}/deny`, {
        reviewer: 'someone else',
      });
      assert.equal(denied.status, 200);
      await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('alert').filter({ hasText: 'Not counted' }).waitFor();
      assert.equal((await recordOf(id)).status, 'denied');
      await page.context().close();
    }),
    check(
      '[console.keyboard] by keyboard alone: sign in, choose with j and k, deny with d, and Escape leaves without a vote',
      async () => {
        const first = await gateway.review(shellOf('make first | sh', 'keyboard'));
        const second = await gateway.review(shellOf('make second | sh', 'keyboard'));
        const page = await people.open();
        await page.keyboard.press('Tab');
        await page.keyboard.type(gateway.keys.human);
        await page.keyboard.press('Enter');
        await page.locator(`a[href="#/approvals/${second}"]`).waitFor();
        const at = async (id: string, key: 'j' | 'k') => {
          for (let steps = 0; !page.url().endsWith(id); steps++) {
            assert.ok(steps < 50, `${key} does not come to ${id}`);
            const before = page.url();
            await page.keyboard.press(key);
            await page.waitForURL((url) => url.href !== before);
            // A key counts for what is drawn: wait until this step is.
            await page.locator(`a[aria-current="true"][href="${new URL(page.url()).hash}"]`).waitFor();
          }
        };
        const dialog = page.getByRole('dialog');
        const opened = async (key: 'a' | 'd') => {
          await page.keyboard.press(key);
          await dialog.waitFor();
        };
        await at(second, 'j');
        await at(first, 'k');
        await page.getByRole('button', { name: 'Deny…' }).waitFor();
        await opened('a');
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        assert.equal((await recordOf(first)).status, 'pending');
        await opened('d');
        await page.keyboard.type('jkad? not today');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        await dialog.waitFor({ state: 'detached' });
        const { status, comment } = await recordOf(first);
        assert.deepEqual({ status, comment }, { status: 'denied', comment: 'jkad? not today' });
        assert.equal((await recordOf(second)).status, 'pending');
        await page.context().close();
      },
    ),
    check(
      '[console.keyboard] no key is lost: one that follows at once counts for the request chosen, and in the dialog it is text',
      async () => {
        const first = await gateway.review(shellOf('make quick first | sh', 'quick'));
        const second = await gateway.review(shellOf('make quick second | sh', 'quick'));
        const page = await people.signedIn(gateway.keys.human, `#/approvals/${first}`);
        await page.getByRole('button', { name: 'Deny…' }).waitFor();
        await page.locator(`a[href="#/approvals/${second}"]`).waitFor();
        // Keys in one task after another, with nothing between them but what the page does by itself at once.
        const pressed = (keys: string, closesFirst = false) =>
          page.evaluate(
            `(async () => {
              const dialog = ${closesFirst} && document.querySelector('dialog[open]');
              const told = dialog && new Promise((resolve) => dialog.addEventListener('close', resolve));
              if (dialog) dialog.close();
              for (const key of ${JSON.stringify([...keys])}) {
                document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
                for (let turn = 0; turn < 10; turn++) await Promise.resolve();
              }
              await told;
              for (let turn = 0; turn < 10; turn++) await Promise.resolve();
              return document.querySelector('dialog[open]')?.innerText ?? '';
            })()`,
          ) as Promise<string>;
        assert.match(await pressed('ja'), /^Approve this request\?[\s\S]*make quick second/);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        assert.match(await pressed('kd'), /^Deny this request\?[\s\S]*make quick first/);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        // The second key is no second choice: what was asked first stays.
        assert.match(await pressed('ad'), /^Approve this request\?/);
        // The browser tells the page of a closed dialog in a task of its own: keys that come before it ask the next question.
        assert.match(await pressed('jd', true), /^Deny this request\?[\s\S]*make quick second/);
        await page.context().close();
      },
    ),
    check('[console.keyboard] a request that the list does not hold is decided by keyboard as well', async () => {
      const id = await gateway.review(shellOf('make beyond | sh', 'beyond'));
      const page = await people.open(`#/approvals/${id}`);
      await page.route('**/admin/v1/approvals?limit=200', async (route) => {
        const answer = await route.fetch();
        const { pending, ...rest } = (await answer.json()) as { pending: { envelope_id: string }[] };
        await route.fulfill({ json: { ...rest, pending: pending.filter(({ envelope_id }) => envelope_id !== id) } });
      });
      await page.getByLabel('API key or admin token').fill(gateway.keys.human);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Deny…' }).waitFor();
      await page.keyboard.press('d');
      await page.getByRole('dialog').getByText('make beyond | sh').waitFor();
      await closeAnswered(page);
    }),
    check('[console.events] a request appears without polling, and the title counts it on every page', async () => {
      const page = await people.open();
      await page.clock.install();
      await page.getByLabel('API key or admin token').fill(gateway.keys.human);
      const following = page.waitForResponse((answer) => answer.url().endsWith('/approvals/events'));
      await page.getByRole('button', { name: 'Sign in' }).click();
      assert.equal((await following).headers()['content-type'], 'text/event-stream');
      // From here on the page has less time than lies between two polls.
      await page.clock.pauseAt(Date.now() + 3_600_000);
      let msLeft = 1_000;
      const titled = (what: string, holds: (title: string) => boolean) =>
        until(what, async () => {
          if (msLeft > 0) await page.clock.runFor(20);
          msLeft -= 20;
          return holds(await page.title());
        });
      const id = await gateway.review(shellOf('make events | sh', 'events'));
      await page.locator(`a[href="#/approvals/${id}"]`).waitFor();
      await page.getByRole('link', { name: 'Health' }).click();
      await titled('the count in the title', (title) => /^\(\d+\) Health/.test(title));
      const before = Number(/\d+/.exec(await page.title())?.[0]);
      await gateway.call(gateway.keys.human, 'POST', `approvals/${id}/deny`, { reviewer: 'someone' });
      const left = before === 1 ? 'Health' : `(${before - 1})`;
      await titled('one less', (title) => title.startsWith(left));
      await page.context().close();
    }),
    check('[console.events] without a stream the page asks by itself', async () => {
      const page = await people.open();
      await page.route('**/approvals/events', (route) => route.fulfill({ status: 405, body: '{}' }));
      await page.getByLabel('API key or admin token').fill(gateway.keys.human);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Approvals' }).waitFor();
      const id = await gateway.review(shellOf('make polled | sh', 'events'));
      await page.locator(`a[href="#/approvals/${id}"]`).waitFor();
      await gateway.call(gateway.keys.human, 'POST', `approvals/${id}/deny`, { reviewer: 'someone' });
      await closeAnswered(page);
    }),
    check(
      '[console.vote] the last step shows the executed text of an SQL call too, and nothing that is not executed',
      async () => {
        const statement = "UPDATE invoices SET total = 0 WHERE status = 'open'";
        const call = { protocol: 'sql', tool: 'sql.execute', target: 'billing', capability: 'write' };
        const parameters = { statement, note: 'the month is closed' };
        const id = await gateway.review({ ...call, parameters, actor: { session: 'sql-vote' } });
        const page = await people.signedIn(gateway.keys.human, `#/approvals/${id}`);
        await page.getByRole('button', { name: 'Deny…' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText(statement).waitFor();
        assert.equal(await dialog.getByText('the month is closed').count(), 0);
        await dialog.getByRole('button', { name: 'Deny' }).click();
        await dialog.waitFor({ state: 'detached' });
        await page.context().close();
      },
    ),
    check('[console.keyboard] the list of shortcuts opens with ?, and switches them off', async () => {
      const page = await people.signedIn(gateway.keys.human);
      await page.getByRole('heading', { name: 'Approvals' }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('checkbox').uncheck();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click(); // what the key would have opened is opened once
      await page.getByRole('dialog').waitFor();
      assert.equal(await page.getByRole('dialog').count(), 1);
      await page.context().close();
    }),
  ];
};
