/**
 * Checks that every read endpoint of the deployed handlers works within its role and does not return an internal fault.
 */
import assert from 'node:assert/strict';
import { routes } from '#features/routes.ts';
import { type Check, check } from '../support/checks.ts';
import { type Call, expectStatus } from './caller.ts';

const session = 'cloud-endpoints';

/**
 * Paths of items that this run has not created, and of the public log, which is not available in a deployment of
 * functions.
 */
const notThere = /\/(rollouts|traces)\/\{id\}$|\/mcp\/tools\/\{name\}$|\/evidence\/log\//;

/** Required query parameters for these reads. */
const queries: Readonly<Record<string, string>> = {
  '/admin/v1/evidence/log/consistency': '?from=1&to=1',
  '/admin/v1/evidence/log/tile': '?path=tile/0/000.p/1',
};

export function endpointChecks(call: Call): Check[] {
  let id = '';
  let manifest = '';
  const path = (template: string) =>
    template
      .replace('{envelope_id}', id)
      .replace('/manifests/{id}', `/manifests/${manifest}`)
      .replace('{id}', session)
      .replace('{tenant}', 'default')
      .replace('{name}', 'no_such_tool')
      .replace('{version}', '1');
  const reads = routes.filter(({ method, surface }) => method === 'GET' && surface === 'admin');

  return [
    check('a vote whose comment contains a token is accepted, and the token is not recorded', async () => {
      const asked = await call('agent', 'POST /admin/v1/test-action', {
        protocol: 'git',
        tool: 'scm.create_pull_request',
        target: 'acme/endpoints',
        capability: 'write',
        actor: { session },
      });
      id = expectStatus(asked, 200).envelope_id;
      const comment = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
      const record = expectStatus(
        await call('human', `POST /admin/v1/approvals/${id}/approve`, { reviewer: 'Alice', comment }),
        200,
      );
      assert.ok(!JSON.stringify(record).includes(comment));
    }),
    check('a task is declared', async () => {
      const body = { name: 'look around', tools: ['scm.get_*'], sessions: [session] };
      manifest = expectStatus(await call('human', 'POST /admin/v1/manifests', body), 201).id;
    }),
    ...reads.map(({ path: template, access }) =>
      check(`GET ${template} is within the role of its function`, async () => {
        const { status, body } = await call('admin', `GET ${path(template) as `/${string}`}${queries[template] ?? ''}`);
        // A 404 also shows that the role allowed the lookup.
        const known = status === 200 || (status === 404 && notThere.test(template) && body.error?.type === 'not_found');
        if (access === 'plane') return void assert.equal(body.error?.type, 'forbidden'); // a key is not a plane
        if (template.endsWith('/approvals/events')) return void assert.equal(status, 405); // this host has no event stream
        assert.ok(known, `answered ${status}: ${JSON.stringify(body).slice(0, 300)}`);
      }),
    ),
    check('a simulation stays within the permissions of its function’s role', async () => {
      const calls = [{ protocol: 'shell', tool: 'shell.rm', target: 'x', capability: 'execute' }];
      const { results } = expectStatus(await call('agent', 'POST /admin/v1/simulate', { calls }), 200);
      assert.equal(results[0].decision, 'block');
    }),
  ];
}
