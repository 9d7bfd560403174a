/** Facts that a deployment adds to the catalog decide real calls, and `why` shows those that a call met. */
import { caller } from '../support/call-endpoint.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({
  extra: `
catalog:
  networks: { metadata: [imds.shop.example] }
  programs:
    shopctl: { commands: { pods list: read, pods delete: { does: delete, target: 1 } } }
`,
  toolPolicies:
    '{ pack: null, rules: [{ protocol: shell, tool: "shell.*", capability: delete, decision: block }, { protocol: shell, tool: "shell.shopctl", capability: read, decision: allow }] }',
});

async function decided(command: string) {
  const call = caller(gateway.ports);
  const body = { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } };
  const answer = (
    await call('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...body, actor: { session: 's' } } })
  ).body;
  const envelope_id = answer.envelope_id ?? answer.error?.data?.envelope_id;
  const { decision, catalog } = (await call('GET', `/admin/v1/actions/${envelope_id}/why`, { key: keys.human })).body;
  return { decision, catalog };
}

test('[policy.diff] why shows the facts that a call met', async () => {
  expect(await decided('shopctl pods list')).toEqual({
    decision: 'allow',
    catalog: [{ entry: 'programs: shopctl', found: 'shopctl pods list' }],
  });
  expect(await decided('shopctl pods delete web')).toMatchObject({ decision: 'block' });
  expect(await decided('curl http://imds.shop.example/keys')).toEqual({
    decision: 'review',
    catalog: [{ entry: 'networks.metadata: imds.shop.example', found: 'http://imds.shop.example/keys' }],
  });
  expect(await decided('shopcfg pods list')).toEqual({ decision: 'review' });
});
