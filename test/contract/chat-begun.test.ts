/** When the start of a provider call is noted: with the reservation, or by a write of its own. */
import { caller } from '../support/call-endpoint.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';

const configured = (filters: string, cache = false) => `
providers: [{ name: mock, type: mock, models: ["mock"] }]
routes: [{ match: { model: "mock" }, providers: [mock] }]
policies: { input: [${filters}] }
cache: { enabled: ${cache} }
budgets: { tenants: { default: { monthly_usd: 100 } } }
`;
const words = '{ name: words, type: keyword, action: block, keywords: ["forbidden"] }';
const personal = '{ name: personal, type: pii, action: warn, entities: [email] }';
const asking = '{ name: asking, type: keyword, action: review, keywords: ["launch"] }';

let gateway: TestPorts;
afterEach(() => gateway.stop());

/** The reservation of a call and how often its start was noted apart from it. */
async function noted(extra: string, text: string) {
  gateway = await testPorts({ extra });
  const reserve = jest.spyOn(gateway.ports.counters, 'reserve');
  const begin = jest.spyOn(gateway.ports.counters, 'begin');
  const body = { model: 'mock', messages: [{ role: 'user', content: text }] };
  const { status } = await caller(gateway.ports)('POST', '/v1/chat/completions', { key: keys.agent, body });
  const { open } = await gateway.ports.counters.status('default', { budgets: [] });
  return { status, begun: reserve.mock.calls[0]![0].begun, begins: begin.mock.calls.length, open };
}

describe('[limit.begun] the start of a provider call', () => {
  test('is noted with the reservation behind filters that look at once', async () => {
    expect(await noted(configured(`${words}, ${personal}`), 'hello')).toEqual({
      ...{ status: 200, begun: true, begins: 0, open: 0 },
    });
  });

  test('changes nothing for a call that such a filter blocks: nothing stays reserved', async () => {
    const blocked = await noted(configured(words), 'this is forbidden');
    expect(blocked).toEqual({ status: 403, begun: true, begins: 0, open: 0 });
  });

  test.each([
    ['a filter may ask a person', configured(`${words}, ${asking}`), 'hello'],
    ['the cache may answer', configured(words, true), 'hello'],
    ['the filters have much to read', configured(words), 'many words '.repeat(4_000)],
  ])('is noted by itself where %s', async (_why, extra, text) => {
    expect(await noted(extra, text)).toEqual({ status: 200, begun: false, begins: 1, open: 0 });
  });
});
