/**
 * Policies: rules with their decisions, a draft in the editor next to the playground, versions with their differences.
 */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { parse, stringify } from 'yaml';
import { check } from '../support/checks.ts';
import { violationsOf } from './accessible.ts';
import { until, type Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';

const loadDraft = (page: Page) => page.getByRole('button', { name: 'Load the current policy' }).click();
const editorOf = (page: Page) => page.getByRole('textbox', { name: /^Tool policies of version/ });
/** Returns the editor's content, all of which is rendered if the text is short. */
const typed = async (page: Page): Promise<string> =>
  (await editorOf(page).locator('.cm-line').allInnerTexts()).join('\n');

export const policies = (gateway: ConsoleGateway, people: Visitors) => {
  const { human, viewer, agent, admin_token } = gateway.keys;
  return [
    check(
      '[console.policies] rules are listed by name with their decisions, and can be narrowed by search',
      async () => {
        const list = { protocol: 'shell', tool: 'shell.run', target: 'ci', capability: 'execute' };
        for (const command of ['ls -la src', 'cat .env'])
          await gateway.call(agent, 'POST', 'test-action', {
            ...list,
            parameters: { command },
            actor: { session: 'counted' },
          });
        const counted = async () => {
          const { body } = await gateway.call(viewer, 'GET', 'usage');
          return body.decided_by_rule['guard:secret-files'] > 0;
        };
        await until('the calls are counted', counted);
        const page = await people.signedIn(viewer, '#/policies');
        await page.getByRole('heading', { name: 'Rules in force' }).waitFor();
        const items = page.locator('#main').getByRole('listitem');
        const guard = items.filter({ hasText: 'secret-files' }).first();
        await guard.getByText(/^\d+ calls?$/).waitFor();
        const used = page.locator('summary.rule-head').filter({ hasText: /\d calls?$/ });
        assert.ok((await used.count()) > 0, 'no rule has a count');
        assert.equal(await page.getByText('**[/ ;|&').count(), 0);
        await page.getByRole('combobox', { name: 'Decision' }).selectOption('review');
        await until('no block is left', async () => (await items.filter({ hasText: /^block/ }).count()) === 0);
        await page.getByRole('combobox', { name: 'Decision' }).selectOption('');
        await page.getByRole('searchbox', { name: 'Search' }).fill('push force');
        await until('few rules', async () => (await items.count()) < 15);
        await page.reload();
        const searched = page.getByRole('searchbox', { name: 'Search' });
        await until('the search is kept', async () => (await searched.inputValue()) === 'push force');
        await until('few rules again', async () => (await items.count()) < 15 && (await items.count()) > 0);
        await page.locator('summary.rule-head').first().click();
        await page
          .getByText(/^shell:/)
          .first()
          .waitFor();
        await page.getByRole('searchbox', { name: 'Search' }).fill('no such rule');
        await page.getByText('No rule matches', { exact: true }).waitFor();
        await page.context().close();
      },
    ),
    check('[console.policies] [policy.diff] the playground records nothing, and versions can be compared', async () => {
      const { body } = await gateway.call(admin_token, 'GET', 'config');
      const changed = structuredClone(body.configuration);
      changed.tool_policies.default_decision = 'block';
      const stored = await gateway.call(admin_token, 'PUT', 'config', changed);
      assert.equal(stored.status, 201);
      // Other checks store versions as well.
      const [old, now] = [body.version, stored.body.version];
      const pending = (await gateway.call(human, 'GET', 'approvals?limit=200')).body.pending.length;
      const page = await people.signedIn(human, '#/policies/try');
      const said = page.getByRole('status');
      await page.getByRole('button', { name: 'Evaluate' }).click();
      await said
        .filter({ hasText: 'block' })
        .filter({ hasText: `Version ${now}` })
        .waitFor();
      await page.getByLabel('Policy version').fill(String(old));
      await page.getByRole('button', { name: 'Evaluate' }).click();
      await said
        .filter({ hasText: 'review' })
        .filter({ hasText: `Version ${old}` })
        .waitFor();
      await said.getByText('What the call would do').waitFor();
      await said.getByText('cannot be determined').first().waitFor();
      await page.getByLabel('A call, or a list of calls (JSON)').fill('{ nonsense');
      await page.getByRole('button', { name: 'Evaluate' }).click();
      await said.filter({ hasText: 'The call is not JSON' }).waitFor();
      await page.getByRole('link', { name: 'Versions' }).click();
      await page.getByRole('link', { name: `Compare version ${old} with the one in force` }).click();
      await page.getByRole('heading', { name: `From version ${old} to version ${now}` }).waitFor();
      await page.getByRole('listitem').filter({ hasText: 'review → ' }).first().waitFor();
      const keys = page.getByRole('table', { name: 'Keys of the configuration that differ' });
      await keys.getByRole('row').filter({ hasText: 'tool_policies.default_decision' }).waitFor();
      assert.equal((await gateway.call(human, 'GET', 'approvals?limit=200')).body.pending.length, pending);
      assert.equal((await gateway.call(admin_token, 'POST', `policy-versions/${old}/rollback`)).status, 200);
      await page.context().close();
    }),
    check('[console.playground] a recorded call is evaluated and traced while policies are edited', async () => {
      const call = { protocol: 'mcp', tool: 'ledger.post', target: 'books', capability: 'write' };
      await gateway.call(agent, 'POST', 'test-action', {
        ...call,
        parameters: { to: 'x' },
        actor: { session: 'tried' },
      });
      const page = await people.signedIn(human, '#/policies/try');
      await page.getByRole('button', { name: 'Pick a recorded call' }).click();
      const recorded = page.getByLabel('A recorded call');
      await recorded.selectOption({
        label: await recorded.locator('option', { hasText: 'ledger.post' }).first().innerText(),
      });
      const calls = page.getByLabel('A call, or a list of calls (JSON)');
      await until('the call is filled in', async () => (await calls.inputValue()).includes('"ledger.post"'));
      await loadDraft(page);
      const status = page.getByRole('status').filter({ hasText: 'With the change' });
      await status.filter({ hasText: 'review' }).filter({ hasText: 'Decided in this browser.' }).waitFor();
      const simulated = () => people.asked.filter((asked) => asked.startsWith('POST /admin/v1/simulate')).length;
      const before = simulated();
      const draft = parse(await typed(page));
      assert.equal(typeof draft.pack, 'string');
      const rule = { protocol: 'mcp', tool: 'ledger.*', decision: 'block', reason: 'The books are closed.' };
      await editorOf(page).fill(stringify({ ...draft, rules: [rule] }));
      await status.filter({ hasText: 'The books are closed.' }).waitFor();
      await page
        .getByText(/^Trace: /)
        .first()
        .click();
      await page.getByRole('row').filter({ hasText: 'mcp:ledger.*' }).filter({ hasText: 'matched' }).waitFor();
      await page.getByRole('heading', { name: 'All decisions that the change affects' }).waitFor();
      await page.getByRole('listitem').filter({ hasText: 'ledger.' }).filter({ hasText: 'block' }).first().waitFor();
      // The answer follows each key typed into the reason, without another request.
      await editorOf(page).getByText('The books are closed.').click();
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.type(' for the year');
      await status.filter({ hasText: 'The books are closed for the year.' }).waitFor();
      assert.equal(simulated(), before);
      // The gateway parses text that needs PostgreSQL's grammar.
      const sql = { protocol: 'sql', tool: 'sql.query', target: 'books', capability: 'read' };
      await page
        .getByLabel('A call, or a list of calls (JSON)')
        .fill(JSON.stringify({ ...sql, parameters: { query: 'select 1 from books' } }));
      await status
        .filter({ hasText: "Decided by the gateway. The gateway parses SQL with PostgreSQL's grammar." })
        .waitFor();
      assert.ok(simulated() > before);
      // The page notices a version that arrives while the draft is open.
      assert.equal((await gateway.call(admin_token, 'POST', 'policy-versions/1/rollback')).status, 200);
      await page
        .getByRole('status')
        .filter({ hasText: /Version \d+ has been stored in the meantime/ })
        .waitFor();
      assert.equal(await page.getByRole('button', { name: 'Save as a new version' }).count(), 0);
      await page.context().close();
    }),
    check('[console.policy-editor] the editor autocompletes keys and words, and marks errors', async () => {
      const page = await people.signedIn(human, '#/policies/try');
      await loadDraft(page);
      await editorOf(page).waitFor();
      assert.deepEqual(await violationsOf(page), []);
      await editorOf(page).fill('pack: pr-writer\nrules:');
      await page.keyboard.press('Enter');
      await page.keyboard.type('- tool: "ledger.*"');
      await page.keyboard.press('Enter');
      await page.keyboard.type('deci');
      await page.getByRole('option', { name: 'decision' }).click();
      await page.keyboard.press('Control+Space');
      await page.getByRole('option', { name: 'block' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.type('perhaps');
      const mark = page.locator('.cm-lintRange-error');
      await mark.filter({ hasText: 'perhaps' }).waitFor();
      await page.getByText(/^Line 4: .*allow, review, block/).waitFor();
      for (let at = 0; at < 'perhaps'.length; at++) await page.keyboard.press('Backspace');
      await page.keyboard.type('block');
      await mark.waitFor({ state: 'detached' });
      assert.deepEqual(parse(await typed(page)), {
        pack: 'pr-writer',
        rules: [{ tool: 'ledger.*', decision: 'block' }],
      });
      await page.getByRole('listitem').filter({ hasText: 'ledger.' }).filter({ hasText: 'block' }).first().waitFor();
      await editorOf(page).fill('rules: [');
      await page
        .getByText(/^Line 1: /)
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Write out the pack' }).waitFor({ state: 'detached' });
      assert.deepEqual(people.offences, []);
      await page.context().close();
    }),
    check('[console.policy-saved] policies are stored with a reason and do not overwrite a newer version', async () => {
      const others = await people.signedIn(human, '#/policies/try');
      await loadDraft(others);
      await editorOf(others).waitFor();
      assert.equal(await others.getByRole('button', { name: 'Save as a new version' }).count(), 0);
      await others.context().close();
      const page = await people.signedIn(admin_token, '#/policies/try');
      const change = async (decision: string) => {
        await loadDraft(page);
        await editorOf(page).waitFor();
        const draft = parse(await typed(page));
        await editorOf(page).fill(stringify({ ...draft, default_decision: decision }));
        await page.getByLabel('Reason, recorded in the evidence').fill('tried in the browser');
      };
      const save = () => page.getByRole('button', { name: 'Save as a new version' }).click();
      const stored = (await gateway.call(admin_token, 'GET', 'config')).body.configuration.tool_policies;
      await change('maybe');
      await save();
      await page.getByText(/^Line \d+: .*allow, review, block/).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await change('block');
      await save();
      await page.getByText(/Version \d+ is in force\./).waitFor();
      const { body } = await gateway.call(admin_token, 'GET', 'config');
      assert.equal(body.configuration.tool_policies.default_decision, 'block');
      assert.deepEqual(body.configuration.tool_policies.pack, stored.pack);
      const acts = (await gateway.call(admin_token, 'GET', 'audit?kind=admin&limit=20')).body.entries;
      assert.ok(acts.some((entry: { body: { reason?: string } }) => entry.body.reason === 'tried in the browser'));
      await change('allow');
      assert.equal((await gateway.call(admin_token, 'POST', 'policy-versions/1/rollback')).status, 200);
      await save();
      await page
        .locator('.notice.bad')
        .filter({ hasText: /has been stored in the meantime/ })
        .waitFor();
      await page.context().close();
    }),
  ];
};
