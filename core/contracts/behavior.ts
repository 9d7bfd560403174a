/**
 * Session risk: the configuration's `behavior` section, and its records in entries and heads. An entry records the
 * settings of its score if they differ from the defaults, so that the score can be recomputed from evidence alone.
 */
import type * as z from 'zod';
import type { behaviorSchema } from './behavior-schema.ts';

export { maxCounted } from './risk-counts.ts';

export const riskRules = [
  'exfiltration',
  'privilege_escalation',
  'credential_abuse',
  'destructive_sequence',
  'fan_out',
  'repeated_escalation',
] as const;
export type RiskRule = (typeof riskRules)[number];

export type BehaviorSettings = z.infer<typeof behaviorSchema>;

/** Settings that the score depends on, excluding those that only determine which signals a call produces. */
export type RiskSettings = Omit<BehaviorSettings, 'enabled' | 'known_hosts' | 'sensitive'>;

/** Same defaults as in `behaviorSchema`; a test compares them. */
export const defaultRiskSettings: RiskSettings = {
  kill_switch_score: 80,
  window_minutes: 30,
  key_factor: 5,
  exfiltration: { points: 50, direct_points: 80, further_points: 15 },
  privilege_escalation: { points: 30, light_points: 10 },
  credential_abuse: { points: 30, secrets: 4, failures: 5 },
  destructive_sequence: { points: 30, deletes: 5, minutes: 5, after_denial_points: 20 },
  fan_out: { points: 20, places: 12, minutes: 5 },
  repeated_escalation: { points: 25, attempts: 3, review_points: 10, reviews: 20, probe_points: 10, probes: 200 },
};

export function riskSettingsOf(settings: BehaviorSettings): RiskSettings {
  const { enabled: _enabled, known_hosts: _hosts, sensitive: _sensitive, ...numbers } = settings;
  return numbers;
}

/** Kinds of signals that the rules evaluate. */
export const signalKinds = [
  /** Reads a secret or personal data. */
  'secret',
  'personal',
  /** Can send data out: to an unknown host, by mail, by copying, or by a `push` to a Git remote. */
  'sink',
  'push',
  /** Gains privileges, either outright or as `sudo` does. */
  'privilege',
  'sudo',
  /** Deletes something. `n` is the severity. */
  'destroy',
  /** Reaches a host, repository or database. */
  'place',
  /** Was refused. Includes the class of the attempt. */
  'refused',
  'login_failed',
  /** Used a credential or ticket outside its purpose. */
  'misused',
  /** Requested test decisions repeatedly. `n` is the count. */
  'probed',
] as const;
export type SignalKind = (typeof signalKinds)[number];

/** Signal: its kind, a readable object, a short digest that distinguishes objects, and a weight. */
export interface Signal {
  readonly s: SignalKind;
  readonly x: string;
  readonly h: string;
  readonly n?: number;
}

/** The `behavior` member of an entry's body: the inputs of the score. */
export interface BehaviorNote {
  readonly signals: readonly Signal[];
  /** The decision made before the score blocked the call. Set only if the score blocked it. */
  readonly decided?: 'allow' | 'review' | 'block';
  /** Settings that differ from the defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Risk record of a session or key: its last score and rule, and the rules' memory as an opaque string. */
export interface RiskRecord {
  readonly score: number;
  /** The rule that contributed the most points. */
  readonly rule: string;
  readonly state?: string;
}
