/** Deploys the stacks as a data plane, with its keys, token and schedule. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { dynamoStore } from '#adapters/aws/dynamodb/store.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { tables } from '#features/tables.ts';
import type { Loose } from '../support/loose.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import {
  type Answer,
  type Call,
  clientConfig,
  expectStatus,
  gatewayAt,
  type Keys,
  provisionKeys,
  putSecret,
  storeModule,
} from './caller.ts';
import { guard } from './configuration.ts';
import { type Deployment, deployFirst, type Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { until } from './processes.ts';

export const asYaml = { 'content-type': 'application/yaml' };
export const newToken = (): string => randomBytes(24).toString('hex');

/** Returns the control plane's settings for its data planes, with the tokens of each. */
export const federationOf = (planes: Readonly<Record<string, readonly string[]>>) => `
federation:
  role: control
  planes:
${Object.entries(planes)
  .map(
    ([name, accepted]) =>
      `    - { name: ${name}, tokens: [${accepted.map((token) => `{ token_sha256: ${sha256(token)} }`).join(', ')}] }`,
  )
  .join('\n')}
`;

const ofPlane = (name: string, controlPlane: string, trusted: string) => `
version: 1
admin: { token_env: GATEWAY_ADMIN_TOKEN }
tenants: [{ id: default, api_keys: [] }]
tool_policies: { pack: null, default_decision: allow }
federation:
  role: data
  plane: ${name}
  control_plane_url: ${controlPlane}
  token_env: PLANE_TOKEN
  trusted_keys: [${trusted}]
  local_keys: [{ tenant: default, key_env: AGENT_KEY, kind: agent, owner: bob, name: builder }]
`;

export interface DataPlane {
  readonly outputs: Outputs;
  /** Calls the data plane's admin API with its own keys. */
  readonly call: Call;
  /** Returns a call to the same API with other keys. */
  with(keys: Keys): Call;
  readonly attacker: TableAttacker;
  /** Makes a call whose decision is made by the single rule in the checks. */
  act(session?: string, as?: Call): Promise<Answer>;
  /** Performs the work that the schedule performs every minute. */
  run(): Promise<string>;
  /** Waits until the functions use a new configuration, which takes a few seconds. */
  adopts(decision: string): Promise<unknown>;
  giveToken(token: string): Promise<void>;
  /** Stores the data plane's own file: the control plane's address and the key that identifies it. */
  join(controlPlaneUrl: string, trustedKey: string): Promise<void>;
}

export async function deployDataPlane(
  emulator: Emulator,
  plane: string,
  place: Pick<Deployment, 'name' | 'region'>,
): Promise<DataPlane> {
  const which: Deployment = { ...place, context: { dataPlane: 'on' } };
  const outputs = await deployFirst(emulator, which);
  const keys = await provisionKeys(emulator, outputs, which);
  await storeModule(emulator, outputs, guard, which);
  const client = clientConfig(emulator, which);
  const lambda = new LambdaClient(client);
  const physical = Object.fromEntries(Object.keys(tables).map((name) => [name, `${which.name}-${name}`]));
  const withKeys = (own: Keys) => gatewayAt(emulator, outputs.GatewayServices.AdminApiId, own);
  const call = withKeys(keys);
  const act = (session = 'cloud-federation', as = call) =>
    as('agent', 'POST /admin/v1/test-action', {
      protocol: 'git',
      tool: 'scm.get_file',
      target: 'acme/web',
      capability: 'read',
      parameters: {},
      actor: { session },
    });
  const run = async (): Promise<string> => {
    const FunctionName = `${which.name}-federation-poll`;
    const { Payload, FunctionError } = await lambda.send(
      new InvokeCommand({ FunctionName, Payload: Buffer.from('{}') }),
    );
    const text = Buffer.from(Payload ?? []).toString('utf8');
    assert.equal(FunctionError, undefined, text);
    return JSON.parse(text).polled;
  };
  return {
    outputs,
    call,
    with: withKeys,
    act,
    run,
    attacker: new TableAttacker({
      store: dynamoStore({ client: new DynamoDBClient(client), tables: physical as Record<TableName, string> }),
    }),
    adopts: (decision) =>
      until(`the plane to decide ${decision}`, 120, async () => {
        await run();
        return (await act()).body.decision === decision;
      }),
    giveToken: (token) => putSecret(emulator, `${which.name}/federation`, { PLANE_TOKEN: token }, which),
    join: async (url, trusted) => {
      expectStatus(await call('admin', 'PUT /admin/v1/config', ofPlane(plane, url, trusted), asYaml), 201);
    },
  };
}

/** Waits until the control plane reports that a data plane is in this state. */
export const seenAs = (control: Call, plane: string, state: string): Promise<Loose> =>
  until(`plane ${plane} as ${state}`, 60, async () => {
    // Functions load a new configuration within seconds; until then this deployment is not a control plane.
    const { body } = await control('admin', 'GET /admin/v1/federation/planes');
    return body.planes?.find((view: Loose) => view.name === plane && view.state === state);
  });
