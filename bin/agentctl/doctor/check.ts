/** The parts of a `doctor` check. */

import { type Fields, fields } from '#core/kernel/json-fields.ts';
import type { Api } from '../client.ts';
import type { CheckResult } from './finding.ts';

export interface Check {
  readonly name: string;
  /** Runs the check. @throws Failure, which becomes its result. */
  readonly run: (api: Api) => Promise<readonly CheckResult[]>;
  /** Advice if the gateway does not have the resource. */
  readonly absent: string;
  /** Advice if its address does not respond and differs from the address of the other checks. */
  readonly unreachable?: string;
  /** A failure of this check ends the run, because the other checks would fail in the same way. */
  readonly needed?: true;
}

/** Returns the response of an operation. */
export const readOperation = async (
  api: Api,
  operation: string,
  query?: Readonly<Record<string, string>>,
): Promise<Fields> => fields((await api.call(operation, query ? { query } : {})).json);

/** A check that a feature adds. */
export interface FeatureCheck extends Check {
  /** Name of the check that it follows. */
  readonly after: string;
}

/** Every release with this check has the route. */
export const otherRelease = 'check --url, and whether the gateway and this agentctl have the same release';
