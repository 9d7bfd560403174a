/**
 * Session risk: section `behavior` of the configuration, and what entries and heads keep of it (spec §1, contract §2).
 * The numbers an entry was scored with travel on the entry where they differ from these defaults, so that a score can be
 * worked out again from the evidence alone.
 */
import * as z from 'zod';

export const riskRules = [
  'exfiltration',
  'privilege_escalation',
  'credential_abuse',
  'destructive_sequence',
  'fan_out',
  'repeated_escalation',
] as const;
export type RiskRule = (typeof riskRules)[number];

const points = (usual: number) => z.int().min(0).max(1000).default(usual);
const minutes = (usual: number) => z.int().positive().max(1440).default(usual);
/** How many of something make an alert; bounded, because as many are remembered. */
const many = (usual: number, most: number) => z.int().min(2).max(most).default(usual);
export const mostCounted = { secrets: 16, failures: 16, deletes: 16, places: 24, attempts: 16, reviews: 200 } as const;

export const behaviorSchema = z.strictObject({
  enabled: z.boolean().default(true),
  kill_switch_score: z.number().positive().default(80),
  /** Points count, and what they build on is remembered, for so long. */
  window_minutes: z.int().positive().max(1440).default(30),
  /** Hosts to which data may go: `api.example.com`, `*.example.com`. Those of `upstreams.http` count too. */
  known_hosts: z.array(z.string().min(1)).default([]),
  /** Files and tables that are sensitive besides the usual ones: globs. */
  sensitive: z.array(z.string().min(1)).default([]),
  /** The counts below, for all sessions of a key together: so many times what one session may. */
  key_factor: z.number().min(1).max(100).default(5),
  /** Something sensitive was read, then data went out: first time, in one and the same call, each further time. */
  exfiltration: z
    .strictObject({ points: points(50), direct_points: points(80), further_points: points(15) })
    .prefault({}),
  /** Rights were taken: by set-uid, sudoers, IAM, CI files; `light_points` for plain sudo and what was blocked. */
  privilege_escalation: z.strictObject({ points: points(30), light_points: points(10) }).prefault({}),
  /** Different secrets touched, logins refused; a credential used for what it was not given for counts at once. */
  credential_abuse: z
    .strictObject({
      points: points(30),
      secrets: many(4, mostCounted.secrets),
      failures: many(5, mostCounted.failures),
    })
    .prefault({}),
  /** Deletions in a short time; one that follows a human's refusal counts by itself. */
  destructive_sequence: z
    .strictObject({
      points: points(30),
      deletes: many(5, mostCounted.deletes),
      minutes: minutes(5),
      after_denial_points: points(20),
    })
    .prefault({}),
  /** Different hosts, repositories and databases in a short time. */
  fan_out: z
    .strictObject({ points: points(20), places: many(12, mostCounted.places), minutes: minutes(5) })
    .prefault({}),
  /**
   * Refused attempts of one class that differ from each other; different calls that waited for a person, none of them
   * approved meanwhile; dry runs and simulations that were not allowed.
   */
  repeated_escalation: z
    .strictObject({
      points: points(25),
      attempts: many(3, mostCounted.attempts),
      review_points: points(10),
      reviews: many(20, mostCounted.reviews),
      probe_points: points(10),
      probes: z.int().min(2).max(10_000).default(200),
    })
    .prefault({}),
});
export type BehaviorSettings = z.infer<typeof behaviorSchema>;

/** What the score depends on: everything but what only decides which signals a call gives. */
export type RiskSettings = Omit<BehaviorSettings, 'enabled' | 'known_hosts' | 'sensitive'>;

export const defaultRiskSettings: RiskSettings = riskSettingsOf(behaviorSchema.parse({}));

export function riskSettingsOf(settings: BehaviorSettings): RiskSettings {
  const { enabled: _enabled, known_hosts: _hosts, sensitive: _sensitive, ...numbers } = settings;
  return numbers;
}

/** What a call means to the rules. */
export const signalKinds = [
  /** Reads a secret, or data about people. */
  'secret',
  'personal',
  /** Data can leave: to an unknown host, by mail, by copy; `push` to a Git remote. */
  'sink',
  'push',
  /** Takes rights: heavily, or as `sudo` does. */
  'privilege',
  'sudo',
  /** Deletes; `n` says how grave. */
  'destroy',
  /** A host, repository or database it reaches. */
  'place',
  /** Refused, with the class of the attempt. */
  'refused',
  'login_failed',
  /** A credential or ticket was used for what it was not given for. */
  'misused',
  /** Asked what would be decided, again and again; `n` says how often. */
  'probed',
] as const;
export type SignalKind = (typeof signalKinds)[number];

/** Kind, the object as a human may read it, a short digest that tells objects apart, and a weight. */
export interface Signal {
  readonly s: SignalKind;
  readonly x: string;
  readonly h: string;
  readonly n?: number;
}

/** Member `behavior` of an entry's body: what the score is worked out from. */
export interface BehaviorNote {
  readonly signals: readonly Signal[];
  /** The decision before the score blocked the call. */
  readonly decided?: 'allow' | 'review' | 'block';
  /** Settings that differ from the defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** What a session's head and a key keep: score and rule as last worked out, and the rules' memory as opaque text. */
export interface RiskRecord {
  readonly score: number;
  /** The rule with the most points. */
  readonly rule: string;
  readonly state?: string;
}
