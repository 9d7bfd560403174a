/** What a check of a deployment found. */
export interface Finding {
  readonly check: string;
  /** `unknown`: the key may not see it, or the gateway does not have it. */
  readonly state: 'ok' | 'warn' | 'fail' | 'unknown';
  readonly found: string;
  readonly todo?: string;
}

export type CheckResult = Omit<Finding, 'check'>;

export const ok = (found: string): CheckResult => ({ state: 'ok', found });
export const warn = (found: string, todo: string): CheckResult => ({ state: 'warn', found, todo });
export const fail = (found: string, todo: string): CheckResult => ({ state: 'fail', found, todo });
/** Nothing is wrong for certain: what to do to know it, or that nothing has to be done. */
export const unknown = (found: string, todo: string): CheckResult => ({ state: 'unknown', found, todo });
