/** Finds demo settings that a deployment must not have: mock responses, keys made by `npm start` [cli.status]. */

import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import type { Api } from '../client.ts';
import { type CheckResult, ok, warn } from './finding.ts';

/** Names of the keys that `npm start` generates. */
const generated = /^local-(agent|human|viewer)$/;

/** Reports providers that respond without a model. */
export function demoModels(providers: readonly Fields[], isDeployment: boolean): CheckResult {
  const mocks = providers.filter(({ type, enabled }) => type === 'mock' && enabled !== false);
  if (mocks.length === 0) return ok('no provider gives demo answers');
  const named = mocks.map(({ name }) => text(name) ?? 'unnamed').join(', ');
  const models = mocks.flatMap((each) => (Array.isArray(each.models) ? each.models.map(String) : []));
  const listed = `${models.slice(0, 5).join(', ')}${models.length > 5 ? `, … (${models.length} names)` : ''}`;
  const found = `demo answers (providers of type mock: ${named}) for ${listed}`;
  if (!isDeployment) return ok(`${found}; this is a local run`);
  return warn(
    found,
    'delete it from providers: it answers for models that no other provider lists, which would otherwise be refused',
  );
}

/** Reports whether the key in use is a generated one. */
export function demoKey({ name, person }: Fields, isDeployment: boolean): CheckResult[] {
  const isGenerated = generated.test(text(name) ?? '') || generated.test(text(person) ?? '');
  if (!isDeployment || !isGenerated) return [];
  return [
    warn(
      `the key ${text(name)} was created by npm start and is in a file of its state folder`,
      'create your own keys (agentctl bootstrap, or api_keys with key_sha256) and set GATEWAY_AGENT_KEY, GATEWAY_HUMAN_KEY and GATEWAY_VIEWER_KEY',
    ),
  ];
}

/** Reports brokers whose signing key the local run generated because none is set. */
export function demoBrokers({ credentials }: Fields): CheckResult[] {
  return list(fields(credentials).brokers)
    .filter(({ generated_key }) => generated_key === true)
    .map(({ name, private_key_env }) =>
      warn(
        `the broker ${name} uses a key that npm start generates because ${private_key_env} is not set`,
        `set ${private_key_env}, and delete generated_key from the broker`,
      ),
    );
}

const readOperation = async (api: Api, operation: string): Promise<Fields> => fields((await api.call(operation)).json);

export async function checkDemo(api: Api): Promise<CheckResult[]> {
  const { isDeployment } = api;
  return [
    demoModels(list((await readOperation(api, 'listProviders')).providers), isDeployment),
    ...demoKey(await readOperation(api, 'whoami'), isDeployment),
  ];
}

/**
 * Checks the brokers. Only administrators may read the configuration; in a local run, generated broker keys are fine.
 */
export const checkDemoBrokers = async (api: Api): Promise<CheckResult[]> =>
  api.isDeployment ? demoBrokers(fields((await readOperation(api, 'getConfig')).configuration)) : [];
