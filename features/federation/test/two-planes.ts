/**
 * A control plane and a data plane over real handlers and stores, each with its own clock, and a network between them
 * that can be cut.
 */

import { adminPrincipal } from '#core/configuration/identity/identities.ts';
import { importFile } from '#core/configuration/load/import-file.ts';
import { storeVersion } from '#core/configuration/store/versions.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { underControlPlane } from '#core/operations/federation/apply.ts';
import { recordAct } from '#core/operations/record.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { caller } from '../../../test/support/call-endpoint.ts';
import type { Loose } from '../../../test/support/loose.ts';
import { type TestPorts, testPorts } from '../../../test/support/ports.ts';
import { keyDigest } from '../document.ts';
import { type PollPorts, pollControlPlane } from '../poll.ts';
import { type ControlPlane, ControlPlaneRefusal } from '../ports.ts';
import { Reports } from '../report.ts';

export const planeToken = 'plane-token-of-eu-1';

export const ofControl = (more = '') => `
federation: { role: control, planes: [{ name: eu, tokens: [{ token_sha256: ${sha256(planeToken)} }] }] }
${more}`;

export const ofPlane = (trusted: string, settings = '') => `
version: 1
tenants: [{ id: default, api_keys: [] }]
tool_policies: { pack: null, default_decision: allow }
federation:
  role: data
  plane: eu
  control_plane_url: https://control.test
  token_env: PLANE_TOKEN
  trusted_keys: [${trusted}]
  local_keys:
    - { tenant: default, key_sha256: ${sha256('plane-agent')}, kind: agent, owner: bob, name: plane-writer }
    - { tenant: default, key_sha256: ${sha256('plane-human')}, kind: human, person: alice, name: plane-human }
  ${settings}
`;

export interface Federation {
  readonly control: TestPorts;
  readonly plane: TestPorts;
  readonly atControl: ReturnType<typeof caller>;
  readonly atPlane: ReturnType<typeof caller>;
  /** Network between the two: `cut` simulates a partition; `forge` changes the control plane's documents. */
  readonly network: { cut: boolean; forge: (document: Loose) => unknown };
  readonly trusted: string;
  poll(): ReturnType<typeof pollControlPlane>;
  report(): Promise<void>;
  /** Reports as the AWS function does each minute, in a newly started process. */
  reportOnSchedule(): Promise<void>;
  /** Advances both clocks. */
  pass(seconds: number): void;
  storeAtControl(more: string): Promise<void>;
  importAtPlane(settings?: string, text?: string): Promise<void>;
  stop(): Promise<void>;
}

export async function federation(
  configurationOf: (more?: string) => string,
  listedSecretNames: readonly string[] = ['SCM_KEY'],
): Promise<Federation> {
  const control = await testPorts({ extra: ofControl() });
  const plane = await testPorts({ secrets: { PLANE_TOKEN: planeToken } });
  const trusted = keyDigest(await control.ports.signer.publicKey())!;
  const [atControl, atPlane] = [caller(control.ports), caller(plane.ports)];
  const network: Federation['network'] = { cut: false, forge: (document) => document };

  const send = async (method: string, path: string, request: object) => {
    if (network.cut) throw new Error('connect ECONNREFUSED');
    const answer = await atControl(method, `/admin/v1/federation/${path}`, request);
    if (answer.status >= 400)
      throw new ControlPlaneRefusal(
        answer.status,
        `the control plane answered ${answer.status}: ${answer.body.error.message}`,
      );
    return answer;
  };
  const controlPlane: ControlPlane = {
    async config({ token, plane: name }, etag) {
      const headers = etag === undefined ? {} : { 'if-none-match': etag };
      const answer = await send('GET', `config?plane=${name}`, { key: token, headers });
      if (answer.status === 304) return { changed: false };
      return { changed: true, etag: answer.headers.etag!, document: network.forge(answer.body) };
    },
    post: async ({ token }, what, body) => (await send('POST', what, { key: token, body })).body,
  };
  const record: PollPorts['record'] = (action, details) =>
    recordAct({ ports: plane.ports, principal: adminPrincipal('default') }, action, details);
  const ports = { ...plane.ports, listedSecretNames, controlPlane, record, unreachable: undefined };
  const reports = new Reports();
  const instance = 'a'.repeat(16);

  const pass = (seconds: number) => {
    control.pass(seconds);
    plane.pass(seconds);
  };
  const importAtPlane = async (settings = '', text = ofPlane(trusted, settings)) => {
    const complete = (own: Parameters<typeof underControlPlane>[1]) => underControlPlane(plane.ports, own);
    const { secrets: _environment, ...deps } = plane.ports;
    await importFile(deps, { text, by: 'file', complete });
    await plane.ports.snapshots.refresh();
  };
  await importAtPlane();
  return {
    control,
    plane,
    atControl,
    atPlane,
    network,
    trusted,
    pass,
    importAtPlane,
    poll: () => pollControlPlane(ports),
    report: () => reports.send({ ...ports, instance, everySeconds: undefined }),
    reportOnSchedule: () => new Reports().send({ ...ports, instance, everySeconds: 60 }),
    storeAtControl: async (more) => {
      const loaded = await loadConfiguration(configurationOf(ofControl(more)), control.ports);
      await storeVersion(control.ports, loaded.configuration, 'test', 'api');
      pass(6);
    },
    stop: async () => {
      await control.stop();
      await plane.stop();
    },
  };
}
