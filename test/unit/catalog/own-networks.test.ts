/** Networks that a deployment adds to the catalog. */
import { httpExchange, mayConnect } from '#adapters/executors/http-exchange.ts';
import { type SimulatedCall, simulatedCall } from '#core/actions/simulate.ts';
import { networkOf, networkOfHost } from '#core/catalog/networks.ts';
import { addressesToDecide, refuseAddresses } from '#core/chat/chat-addresses.ts';
import { compareConfigurations } from '#core/configuration/compare.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { executorsFrom } from '#core/execution/executors/executors.ts';
import { argumentGuard, argumentSettings, argumentVerdict } from '#core/guard/decide-arguments.ts';
import { signalContextOf } from '#core/session/risk/signal-context.ts';
import { signalsOf } from '#core/session/risk/signals.ts';
import { load } from '../configuration/loading.ts';
import { base } from '../configuration/memory.ts';

const configured = (networks: string, more = '') =>
  base(`catalog: { networks: ${networks} }
upstreams: { mcp: [{ name: web, url: "https://web.example/mcp", tools: ["*"] }] }${more}`);
const own = configured(
  '{ private: ["198.18.5.0/24", "8.8.0.0/16", "*.shop.example"], metadata: ["8.8.4.4", "imds.shop.example", "10.9.9.9"], reserved: ["9.9.9.0/24"] }',
);
const ofText = async (text: string) => (await load(text)).configuration;

const fetchOf = (url: string): ToolCall & SimulatedCall => ({
  protocol: 'mcp',
  tool: 'fetch_page',
  target: '',
  capability: 'read',
  upstream: 'web',
  parameters: { url },
});

describe('[catalog.own]', () => {
  test.each([
    ['8.8.8.8', 'private'],
    ['::ffff:8.8.8.8', 'private'],
    ['8.8.4.4', 'metadata'],
    ['10.9.9.9', 'metadata'],
    ['9.9.9.9', 'reserved'],
    // The catalog's own network entry is stricter.
    ['198.18.5.1', 'reserved'],
    ['8.9.0.1', 'public'],
    ['10.0.0.1', 'private'],
  ])('%s is %s', async (address, network) => {
    const { networks } = (await ofText(own)).catalog;
    expect(networkOf(address, networks)).toBe(network);
    expect(mayConnect(address, false, networks)).toBe(network === 'public');
    expect(mayConnect(address, true, networks)).toBe(['public', 'private'].includes(network));
  });

  test.each([
    ['api.shop.example', 'private'],
    ['API.Shop.Example.', 'private'],
    ['imds.shop.example', 'metadata'],
    ['8.8.8.8.nip.io', 'private'],
    ['shop.example', undefined],
    ['metadata.google.internal', 'metadata'],
  ])('%s is %s', async (host, network) => {
    expect(networkOfHost(host, (await ofText(own)).catalog.networks)).toBe(network);
  });

  test('an address in a configured private network is not on the public web, so the call does more than read', async () => {
    const [with_, without] = [await ofText(own), await ofText(configured('{}'))];
    expect((await simulatedCall(with_, fetchOf('http://api.shop.example/x'))).capability).toBe('execute');
    expect((await simulatedCall(without, fetchOf('http://api.shop.example/x'))).capability).toBe('read');
    expect((await simulatedCall(with_, fetchOf('http://shop.example/x'))).capability).toBe('read');
  });

  test('the tool guard and session risk recognize configured metadata services', async () => {
    const found = async (text: string, host: string) => {
      const configuration = await ofText(text);
      const call = fetchOf(`http://${host}/latest`);
      const verdict = argumentVerdict(call, await argumentGuard(argumentSettings(configuration, call)));
      const http = { ...call, protocol: 'http', parameters: { host } };
      const signals = signalsOf(http, { parts: [], carrier: false }, 'allow', signalContextOf(configuration));
      return { guard: verdict?.matched_rule, risk: signals.some(({ s }) => s === 'secret') };
    };
    expect(await found(own, 'imds.shop.example')).toEqual({ guard: 'tool_guard:url', risk: true });
    expect(await found(configured('{}'), 'imds.shop.example')).toEqual({ guard: undefined, risk: false });
    expect(await found(own, 'api.shop.example')).toEqual({ guard: undefined, risk: false });
  });

  test('chat providers may not fetch from configured networks', async () => {
    const body = (url: string) => ({
      dialect: 'openai' as const,
      body: { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] },
    });
    const configuration = await ofText(own);
    const refused = () => refuseAddresses(configuration, body('https://img.shop.example/a.png') as never, true);
    expect(refused).toThrow('not a public http or https address');
    expect(() => refuseAddresses(configuration, body('https://img.example.org/a.png') as never, true)).not.toThrow();
    expect(addressesToDecide(configuration, body('https://img.example.org/a.png') as never)).toEqual([]);
  });

  test.each([
    ['api.shop.example', '93.184.216.34'],
    ['api.example', '8.8.8.8'],
  ])('executors refuse to connect to %s at %s', async (host, address) => {
    const services = `
  http: [{ name: shop, base_url: "http://${host}", allowed_paths: ["/**"], allowed_methods: [GET] }]`;
    const configuration = await ofText(own.replace('upstreams: { mcp', `upstreams: {${services},\n mcp`));
    const http = httpExchange({ resolve: async () => [address] });
    const [executor] = executorsFrom(configuration, { http } as never);
    const call = { ...fetchOf(''), protocol: 'http', tool: 'http.get', target: `http://${host}/x`, parameters: {} };
    await expect(executor!.execute(call as never, undefined)).rejects.toThrow('private or reserved');
  });

  test.each([
    ['{ public: ["10.0.0.0/8"] }', /catalog\.networks\.public \(line \d+\): found an unknown key, allowed .*private/],
    ['{ private: ["10.0.0.0/33"] }', /catalog\.networks\.private\[0\].*found "10\.0\.0\.0\/33", allowed an address/],
    ['{ private: ["10.1"] }', /found "10\.1", allowed an address/],
    ['{ private: ["::ffff:10.0.0.0/104"] }', /allowed an address/],
    ['{ metadata: ["*a*b*c"] }', /at most two \*/],
    ['{ metadata: ["https://imds.example"] }', /a host name/],
  ])('%s is refused', async (networks, message) => {
    await expect(load(configured(networks))).rejects.toThrow(message);
  });

  test('`policy diff` lists the added networks', async () => {
    const [before, after] = [await ofText(configured('{}')), await ofText(configured('{ private: ["8.8.0.0/16"] }'))];
    expect(compareConfigurations(before, after)).toEqual([
      { section: 'catalog', path: 'catalog.networks.private."8.8.0.0/16"', to: '"8.8.0.0/16"' },
    ]);
  });
});
