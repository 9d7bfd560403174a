/** A classifier of texts: what it works with, and what becomes of a text that it looked at. */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ClassifierSettings } from '#core/contracts/config/tool-guard-classifier.ts';
import type { Ids } from '#core/kernel/ports.ts';
import type { Counters } from '#core/limits/ports.ts';
import type { WasmRunner } from '#core/models/content-policy/ports.ts';
import type { RoutingPorts } from '#core/models/routing/call-provider.ts';

/** Modules, and models with the counters that their calls are charged to. */
export interface ClassifierPorts extends RoutingPorts {
  readonly wasm: WasmRunner;
  readonly counters: Counters;
  readonly ids: Pick<Ids, 'uuid'>;
}

export type ClassifierError =
  | 'timeout'
  /** The module trapped, or the provider did not answer. */
  | 'failed'
  /** It answered in another form than it has to. */
  | 'broken_answer'
  | 'too_large'
  /** A budget or rate limit of the caller has no room for the call of the model. */
  | 'over_limit'
  /** The module is not stored, no provider serves the model, or this process has no classifiers. */
  | 'not_available';

/** Who looked: evidence names it. No word of the text is part of it [guard.no-content]. */
interface ClassifierName {
  /** `wasm:<filter>` or `model:<model>`. */
  readonly classifier: string;
  /** SHA-256 of the module, or which question the model was asked. */
  readonly version: string;
}

export interface Score {
  /** From 0 to 1. */
  readonly score: number;
  /** What the call of a model came to. */
  readonly provider?: string;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cost_microusd?: number;
}

export type Classification = ClassifierName &
  ((Score & { readonly flagged: boolean }) | { readonly error: ClassifierError });

/** Looks at one text. Never rejects. */
export type Classify = (text: string, signal: AbortSignal) => Promise<Classification>;

export interface ClassificationRequest {
  readonly settings: ClassifierSettings;
  readonly snapshot: Pick<Snapshot, 'configuration' | 'identities'>;
  /** Whose limits the call of a model counts against. */
  readonly caller: { readonly tenant: string; readonly key_id: string };
}

/** A way to score: its name, and the score of a text. @throws ClassifierFault, or what its ports throw. */
export interface Scorer {
  readonly name: ClassifierName;
  score(text: string, signal: AbortSignal): Promise<Score>;
}

/** Why there is no score. */
export class ClassifierFault extends Error {
  override readonly name = 'ClassifierFault';
  readonly reason: ClassifierError;

  constructor(reason: ClassifierError, cause?: unknown) {
    super(`the classifier gave no score: ${reason}`, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
