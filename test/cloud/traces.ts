/** Reads the trace of one deployed function from another, as a tree of spans. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type Check, check } from '../support/checks.ts';
import { type Call, type Caller, expectStatus } from './caller.ts';
import { until } from './processes.ts';

interface Span {
  readonly span_id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly status: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const session = 'cloud-traces';

export function traceChecks(gateway: Call, admin: Call): Check[] {
  /** Makes a call within a trace that the caller began. @returns the trace id, and the id of the caller's span */
  async function traced(work: (headers: { traceparent: string }) => Promise<unknown>) {
    const [trace, parent] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    await work({ traceparent: `00-${trace}-${parent}-01` });
    return { trace, parent };
  }

  /**
   * Waits for the spans of a trace. A function exports traces at most once per second, during an invocation; `again`
   * invokes it until the trace arrives.
   */
  const spansOf = (trace: string, again: () => Promise<unknown>, caller: Caller = 'human') =>
    until(`trace ${trace}`, 30, async () => {
      const answer = await admin(caller, `GET /admin/v1/traces/${trace}`);
      if (answer.status === 200) return answer.body.spans as Span[];
      assert.equal(answer.status, 404, JSON.stringify(answer.body));
      await again();
      return undefined;
    });

  const chat = (headers = {}) =>
    gateway(
      'agent',
      'POST /v1/chat/completions',
      { model: 'mock', max_tokens: 10, messages: [{ role: 'user', content: 'where are the flowers?' }] },
      { 'x-session-id': session, ...headers },
    );
  const govern = (headers = {}) =>
    admin(
      'agent',
      'POST /admin/v1/test-action',
      {
        protocol: 'git',
        tool: 'scm.get_file',
        target: 'repo/traced.md',
        capability: 'read',
        parameters: {},
        actor: { agent: 'cloud', session },
      },
      headers,
    );

  /** Returns each span as `parent > name`, with `caller` if its parent is not in this trace. */
  function treeOf(spans: readonly Span[]) {
    const names = new Map(spans.map(({ span_id, name }) => [span_id, name]));
    return spans.map(({ name, parent_id }) => `${names.get(parent_id ?? '') ?? 'caller'} > ${name}`);
  }

  return [
    check('the trace of a chat call is a tree of its stages, and another function reads it', async () => {
      const { trace, parent } = await traced(async (headers) => expectStatus(await chat(headers), 200));
      const spans = await spansOf(trace, chat);
      const tree = treeOf(spans);
      for (const edge of [
        ...['caller > gateway.chat_completion', 'gateway.chat_completion > provider.call'],
        ...['provider.call > provider.mock', 'gateway.chat_completion > evidence.record'],
      ])
        assert.ok(tree.includes(edge), `${edge} is missing in ${tree.join(', ')}`);
      assert.equal(spans[0]?.parent_id, parent);
      assert.ok(spans.every(({ status }) => status === 'ok'));
      assert.ok(!JSON.stringify(spans).includes('flowers'), 'a trace contains no content');
    }),
    check('the trace of an action contains its decision, and the list finds the trace by tool', async () => {
      const { trace } = await traced(async (headers) => expectStatus(await govern(headers), 200));
      const spans = await spansOf(trace, govern);
      const tree = treeOf(spans);
      assert.ok(tree.includes('caller > mcpgw.tool_call'), tree.join(', '));
      assert.equal(spans.find(({ name }) => name === 'mcpgw.tool_call')?.attributes.decision, 'allow');
      const { traces } = expectStatus(
        await admin('human', 'GET /admin/v1/traces?tool=scm.get_file&decision=allow'),
        200,
      );
      const listed = (traces as { trace_id: string; session_id?: string }[]).find(({ trace_id }) => trace_id === trace);
      assert.equal(listed?.session_id, session);
    }),
    check('neither an agent nor a caller without a key can read a trace', async () => {
      const { trace } = await traced(async (headers) => expectStatus(await chat(headers), 200));
      await spansOf(trace, chat);
      expectStatus(await admin('agent', `GET /admin/v1/traces/${trace}`), 403);
      expectStatus(await admin(undefined, `GET /admin/v1/traces/${trace}`), 401);
    }),
  ];
}
