/** Result of one check of a deployment, with the check's name. */
export interface Finding {
  readonly check: string;
  /** `unknown` means not visible to the key, or not available at the gateway. */
  readonly state: 'ok' | 'warn' | 'fail' | 'unknown';
  readonly found: string;
  readonly todo?: string;
}

export type CheckResult = Omit<Finding, 'check'>;

export const ok = (found: string): CheckResult => ({ state: 'ok', found });
export const warn = (found: string, todo: string): CheckResult => ({ state: 'warn', found, todo });
export const fail = (found: string, todo: string): CheckResult => ({ state: 'fail', found, todo });
/** Reports that a check was inconclusive; `todo` says how to find out, or that no action is needed. */
export const unknown = (found: string, todo: string): CheckResult => ({ state: 'unknown', found, todo });
