/** Ports and results of text classifiers. */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ClassifierSettings } from '#core/contracts/config/tool-guard-classifier.ts';
import type { Ids } from '#core/kernel/ports.ts';
import type { Counters } from '#core/limits/ports.ts';
import type { WasmRunner } from '#core/models/content-policy/ports.ts';
import type { RoutingPorts } from '#core/models/routing/call-provider.ts';

/** Modules, models, and the counters that model calls are charged to. */
export interface ClassifierPorts extends RoutingPorts {
  readonly wasm: WasmRunner;
  readonly counters: Counters;
  readonly ids: Pick<Ids, 'uuid'>;
}

export type ClassifierError =
  | 'timeout'
  /** The module trapped, or the provider did not answer. */
  | 'failed'
  /** The answer has an invalid form. */
  | 'broken_answer'
  | 'too_large'
  /** A budget or rate limit of the caller has no room for the model call. */
  | 'over_limit'
  /** The module is not stored, no provider serves the model, or this process has no classifiers. */
  | 'not_available';

/** Name of the classifier for evidence. It contains no word of the text [guard.fails-closed]. */
interface ClassifierName {
  /** `wasm:<filter>` or `model:<model>`. */
  readonly classifier: string;
  /** SHA-256 of the module, or the version of the question to the model. */
  readonly version: string;
}

export interface Score {
  /** From 0 to 1. */
  readonly score: number;
  /** Usage of a model call. */
  readonly provider?: string;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cost_microusd?: number;
}

export type Classification = ClassifierName &
  ((Score & { readonly flagged: boolean }) | { readonly error: ClassifierError });

/** Classifies one text. Never rejects. */
export type Classify = (text: string, signal: AbortSignal) => Promise<Classification>;

export interface ClassificationRequest {
  readonly settings: ClassifierSettings;
  readonly snapshot: Pick<Snapshot, 'configuration' | 'identities'>;
  /** The caller whose limits a model call counts against. */
  readonly caller: { readonly tenant: string; readonly key_id: string };
}

/** A scorer: its name, and the score of a text. @throws ClassifierFault, or errors of its ports. */
export interface Scorer {
  readonly name: ClassifierName;
  score(text: string, signal: AbortSignal): Promise<Score>;
}

/** The reason for a missing score. */
export class ClassifierFault extends Error {
  override readonly name = 'ClassifierFault';
  readonly reason: ClassifierError;

  constructor(reason: ClassifierError, cause?: unknown) {
    super(`the classifier returned no score: ${reason}`, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
