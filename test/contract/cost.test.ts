/** Capacity units and prices of calls. */

import { readFileSync } from 'node:fs';
import { cellsTable } from '../../bench/cost/cells.ts';
import { dashboardsMonth, idleMonth } from '../../bench/cost/idle.ts';
import { type MeasurementKind, measured, type Units } from '../../bench/cost/measured.ts';
import { pricesOf } from '../../bench/cost/prices.ts';
import { costTables, type Mix, mixCost, secondsOfMonth } from '../../bench/cost/tables.ts';
import { useDynamo } from '../support/dynamo.ts';
import { thorough } from '../support/extent.ts';
import { call, open, useMcpEndpoint } from '../support/mcp-endpoint.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { unitsDuring } from './units.ts';

/**
 * Table capacity units that calls consume, as the store reports them, compared with the figures that `npm run cost`
 * uses.
 */
describe('units', () => {
  const dynamo = useDynamo();

  const providers = `
providers: [{ name: mock, type: mock, models: ["mock"] }]
routes: [{ match: { model: "mock" }, providers: [mock] }]
`;

  /**
   * Runs the work twice, because the first call of a session or an environment reads data that later calls have cached.
   */
  const steady = async (work: () => Promise<unknown>): Promise<Units> => {
    await work();
    return unitsDuring(dynamo.client, work);
  };
  const kept = (kind: MeasurementKind): Units => ({ ...measured[kind] });

  describe('[cost.table] a call consumes the units stated in the cost table', () => {
    const gateway = useGateway(() => ({ extra: providers, store: dynamo.store }));
    const { call: ask } = gateway;

    const chat = (stream: boolean) => async () => {
      const body = { model: 'mock', stream, messages: [{ role: 'user', content: 'How do I sort a list in place?' }] };
      const answer = await ask('POST', '/v1/chat/completions', {
        key: keys.agent,
        body,
        headers: { 'x-session-id': 'cost' },
      });
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('assistant')]);
    };
    const git = (tool: string, capability: string, more: object = {}) => ({
      protocol: 'git',
      tool,
      target: 'acme/web',
      capability,
      actor: { agent: 'writer', session: 'cost' },
      ...more,
    });
    const act = async (body: object, decision: string) => {
      const answer = await ask('POST', '/admin/v1/test-action', { key: keys.agent, body });
      expect(answer.body.decision).toBe(decision);
      return answer.body.envelope_id as string;
    };

    test('chat, answered whole', async () => {
      expect(await steady(chat(false))).toEqual(kept('chat'));
    });

    test('chat, streamed', async () => {
      expect(await steady(chat(true))).toEqual(kept('stream'));
    });

    test('an allowed action', async () => {
      expect(await steady(() => act(git('scm.list_branches', 'read'), 'allow'))).toEqual(kept('action'));
    });

    test('a review, its vote and its use', async () => {
      let n = 0;
      const round = async () => {
        const parameters = { title: `Fix ${++n}`, head: 'fix/build', base: 'main' };
        const asked = git('scm.create_pull_request', 'write', { parameters });
        const id = await act(asked, 'review');
        const vote = await ask('POST', `/admin/v1/approvals/${id}/approve`, {
          key: keys.human,
          body: { reviewer: 'alice' },
        });
        expect(vote.status).toBe(200);
        await act({ ...asked, approval_ref: id }, 'allow');
      };
      expect(await steady(round)).toEqual(kept('review'));
    });
  });

  describe('[cost.table] an MCP call', () => {
    useMcpEndpoint([], {}, () => dynamo.store);

    test('consumes the units stated in the cost table', async () => {
      const session = await open();
      expect(await steady(() => call('echo', { a: 1 }, { session }))).toEqual(kept('mcp'));
    });
  });
});

/** The documented cost compared with the computed one. */
describe('documented tables', () => {
  const cellsOf = (line: string) => line.split('|').map((cell) => cell.trim().replace(/^-+(:?)$/, '---$1'));
  const rowsOf = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map(cellsOf);

  test('[cost.table] the tables in cost.md match the output of npm run cost', async () => {
    expect(rowsOf(readFileSync('docs/explanation/cost.md', 'utf8'))).toEqual(rowsOf(await costTables()));
  });

  (thorough ? test : test.skip)('[cost.table] the table in cells.md matches the output of npm run cost', async () => {
    const documented = rowsOf(readFileSync('docs/explanation/cells.md', 'utf8'));
    expect(documented).toEqual(expect.arrayContaining(rowsOf(await cellsTable())));
  });

  test('[cost.table] a mix costs the sum of its calls, priced at the combined entry rate, plus an idle month', async () => {
    const { calls, entriesPerSecond, month, idleMonth } = await mixCost({ actions: 5, reviews: 1 }, { tenants: 1 });
    expect(entriesPerSecond).toBe(8);
    expect(calls.map(({ what }) => what)).toEqual(['allowed action', 'review, its vote and its use']);
    expect(month).toBeCloseTo(idleMonth + calls.reduce((sum, each) => sum + each.month, 0));
    // Busier traffic shares more objects and signatures.
    const [alone] = (await mixCost({ actions: 0.1 }, { tenants: 1 })).calls;
    expect(alone!.million).toBeGreaterThan(calls[0]!.million);
  });

  test('[cost.table] every price has a source and a date; an error names any region without a price file', () => {
    expect(pricesOf().oldest).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(() => pricesOf('moon-1')).toThrow('Regions with a file: us-east-1');
  });

  describe('[cost.table] targets', () => {
    const million = async (mix: Mix): Promise<number> => {
      const { calls, planeMonth = 0 } = await mixCost(mix, { tenants: 1 });
      const [{ perSecond, million: own }] = calls as [(typeof calls)[number]];
      return own + (planeMonth * 1e6) / (perSecond * secondsOfMonth);
    };

    test.each<[what: string, mix: Mix, most: number]>([
      ['an action at five per second', { actions: 5 }, 15],
      ['a busy action in containers', { 'actions-in-containers': 100 }, 10],
      ['a chat at five per second', { chats: 5 }, 30],
      ['a busy chat in containers', { 'chats-in-containers': 100 }, 22],
      ['a review', { reviews: 5 }, 200],
    ])('%s stays within its target', async (_, mix, most) => {
      expect(await million(mix)).toBeLessThanOrEqual(most);
    });

    test('a month without calls or dashboards costs no more than its target', () => {
      const { prices } = pricesOf();
      const all = Object.values(idleMonth(prices)).reduce((sum, amount) => sum + amount, 0);
      expect(all - dashboardsMonth(prices)).toBeLessThanOrEqual(20);
    });

    test('a mix without containers is not charged for them', async () => {
      expect(await mixCost({ chats: 5 }, { tenants: 1 })).not.toHaveProperty('planeMonth');
    });
  });
});
