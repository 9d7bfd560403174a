/** The parts of a `doctor` check. */

import { type Fields, fields } from '#core/kernel/json-fields.ts';
import type { Api } from '../client.ts';
import type { CheckResult } from './finding.ts';

export interface Check {
  readonly name: string;
  /** Runs the check. @throws Failure, which is then reported as the check's result. */
  readonly run: (api: Api) => Promise<readonly CheckResult[]>;
  /** Advice if the gateway does not provide the resource. */
  readonly absent: string;
  /** Advice if the check's address does not respond and differs from the address of the other checks. */
  readonly unreachable?: string;
  /** True if a failure of this check ends the run, because the other checks would fail in the same way. */
  readonly needed?: true;
}

/** Returns an operation's response. */
export const readOperation = async (
  api: Api,
  operation: string,
  query?: Readonly<Record<string, string>>,
): Promise<Fields> => fields((await api.call(operation, query ? { query } : {})).json);

/** A check that a feature adds. */
export interface FeatureCheck extends Check {
  /** Name of the check after which this one runs. */
  readonly after: string;
}

/** Advice for a missing route. Every release with this check has the route. */
export const otherRelease = 'check --url, and whether the gateway and this agentctl have the same release';
