/**
 * One list of judges applies to every call: a test adds a judge and checks that it is consulted on each path, with its
 * reason shown to caller and reviewer.
 */
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import { backgroundWork } from '#adapters/work/background.ts';
import { executeApproved } from '#core/actions/execute-approved.ts';
import type { Judge, JudgementTime } from '#core/actions/judge.ts';
import { judges } from '#core/actions/judges.ts';
import type { ChatCall } from '#core/chat/call.ts';
import { governReply } from '#core/chat/tool-use.ts';
import { simulator } from '../../bin/agentctl/policy-file.ts';
import {
  call,
  compose,
  configure,
  entries,
  http,
  keys,
  open,
  test_,
  useMcpEndpoint,
  vote,
} from '../support/mcp-endpoint.ts';

useMcpEndpoint([{ protocol: 'git', tool: 'scm.push', decision: 'review', reason: 'Pushes are looked at.' }]);

let decision: 'review' | 'block' = 'block';
const asked: JudgementTime[] = [];
/** Judge that objects to every call scheduled for a Sunday. */
const openingHours: Judge = {
  name: 'opening-hours',
  rules: 'opening-hours:',
  judge({ call: { tool, parameters } }, when) {
    if (parameters.title !== 'sunday') return undefined;
    asked.push(when);
    return { decision, matched_rule: 'opening-hours:closed', reason: `${tool} is closed on Sundays.` };
  },
};
const by = { decision: 'block', matched_rule: 'opening-hours:closed' };

beforeEach(() => {
  decision = 'block';
  asked.length = 0;
  judges.unshift(openingHours);
});
afterEach(() => {
  judges.splice(judges.indexOf(openingHours), 1);
});

let session = 0;
const push = (title = 'sunday', more: object = {}) => ({
  protocol: 'git',
  tool: 'scm.push',
  target: 'acme/web',
  parameters: { title, ...more },
  capability: 'write' as const,
});
const act = (more: object = {}, action: object = push(), at?: ReturnType<typeof compose>) =>
  http('POST', '/admin/v1/test-action', { ...action, actor: { session: `s${++session}` }, ...more }, at && { at });

test.each<[string, object, object]>([
  ['an action', {}, push()],
  ['an HTTP call', {}, { ...push(), protocol: 'http', tool: 'http.get', target: 'https://api.example/' }],
  ['a dry run', { dry_run: true }, push()],
  ['a hook, whose caller makes the call itself', { decide_only: true, call_id: 'c1' }, push()],
])('[action.judges] %s', async (_, more, action) => {
  const { last: body } = await act(more, action);
  expect(body).toMatchObject({ ...by, error: { data: { reason: expect.stringContaining('is closed on Sundays.') } } });
  expect(asked).toEqual(['requested']);
  const { last: harmless } = await act(more, { ...action, parameters: { title: 'monday' } });
  expect(harmless.matched_rule).not.toBe(by.matched_rule);
});

test('[action.judges] a judge decides on a large call in a worker', async () => {
  const work = backgroundWork({ telemetry: { count: () => {} }, effects: lazyEffects, packs: 'policies' });
  try {
    const at = compose({ calls: work.calls });
    const large = { note: 'many words '.repeat(4_000) };
    expect((await act({}, push('sunday', large), at)).last).toMatchObject(by);
    expect((await act({}, push('monday', large), at)).last).toMatchObject({
      decision: 'review',
      matched_rule: 'git:scm.push',
    });
  } finally {
    await work.stop();
  }
});

test('[action.judges] a judge decides on a tool call over MCP', async () => {
  const own = await open();
  const { error } = (await call('create_issue', { title: 'sunday' }, { session: own })).last;
  expect(error).toMatchObject({ code: -32001, data: { reason: 'create_issue is closed on Sundays.' } });
  expect((await call('create_issue', { title: 'monday' }, { session: own })).last).toHaveProperty('result');
});

test('[action.judges] a judge decides on a tool call made by a model', async () => {
  const snapshot = await test_.ports.snapshots.current();
  const principal = [...snapshot.identities.byKeyId.values()].find(({ kind }) => kind === 'agent')!;
  const chat = { snapshot, principal, sessionId: 'of-a-model', body: {} } as ChatCall;
  const reply = (title: string) => {
    const use = { type: 'tool_use', id: 't', name: 'create_issue', input: { title } };
    return governReply(test_.ports, chat, { content: [use], stop_reason: 'tool_use' });
  };
  expect(JSON.stringify(await reply('sunday'))).toContain('create_issue is closed on Sundays.');
  expect(JSON.stringify(await reply('monday'))).toContain('"tool_use"');
});

test('[action.judges] judges apply in simulations and policy tests', async () => {
  const { last: body } = await http('POST', '/admin/v1/simulate', { calls: [push(), push('monday')] });
  const { configuration } = await test_.ports.snapshots.current();
  const decide = simulator({ configuration });
  for (const [sunday, monday] of [body.results, [await decide(push()), await decide(push('monday'))]]) {
    expect(sunday).toMatchObject({ ...by, reason: 'scm.push is closed on Sundays.' });
    expect(monday).toMatchObject({ decision: 'review', matched_rule: 'git:scm.push' });
  }
});

test('[action.judges] why names the judge that made the decision and its reason', async () => {
  const { last: body } = await act();
  const { last: why } = await http('GET', `/admin/v1/actions/${body.envelope_id}/why`, undefined, { key: keys.human });
  expect(why).toMatchObject({ ...by, decided_by: 'opening-hours', reason: 'scm.push is closed on Sundays.' });
});

test('[action.judges] the card shows the reason given by the deciding judge for this call', async () => {
  decision = 'review';
  const issue = { ...push(), tool: 'scm.open_issue' };
  const cardOf = async (action: object) =>
    (
      await http('GET', `/admin/v1/approvals/${(await act({}, action)).last.envelope_id}`, undefined, {
        key: keys.human,
      })
    ).last;
  const rule = { name: by.matched_rule, reason: 'scm.open_issue is closed on Sundays.' };
  expect(await cardOf(issue)).toMatchObject({ rule });
  // A rule that also reviews the call is first, so its reason is shown.
  expect(await cardOf(push())).toMatchObject({ rule: { name: 'git:scm.push', reason: 'Pushes are looked at.' } });
});

test('[action.judges] a judge can stop an approved call right before the gateway makes it', async () => {
  await configure({ approvals: { on_approval: 'execute' } });
  judges.splice(judges.indexOf(openingHours), 1);
  const { last: body } = await act();
  await vote(body.envelope_id, 'approve');
  judges.unshift(openingHours);
  const row = (await test_.ports.approvals.find(body.envelope_id))!;
  const done = await executeApproved({ ...test_.ports, executors: () => [] }, row);
  expect(asked).toEqual(['approved']);
  expect(done).toMatchObject({ status: 'consumed', outcome: 'not_executed', refused_because: 'policy_block' });
  expect((await entries(body.session_id)).at(-1)).toMatchObject({
    kind: 'block',
    body: { matched_rule: by.matched_rule, reason: 'scm.push is closed on Sundays.' },
  });
});
