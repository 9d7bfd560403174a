/** Ports and results of text classifiers. */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ClassifierSettings } from '#core/contracts/config/tool-guard-classifier.ts';
import type { Ids } from '#core/kernel/ports.ts';
import type { Counters } from '#core/limits/ports.ts';
import type { WasmRunner } from '#core/models/content-policy/ports.ts';
import type { RoutingPorts } from '#core/models/routing/call-provider.ts';

/** Modules and models, together with the counters that model calls are charged to. */
export interface ClassifierPorts extends RoutingPorts {
  readonly wasm: WasmRunner;
  readonly counters: Counters;
  readonly ids: Pick<Ids, 'uuid'>;
}

export type ClassifierError =
  | 'timeout'
  /** The module trapped, or the provider did not respond. */
  | 'failed'
  /** The response is malformed. */
  | 'broken_answer'
  | 'too_large'
  /** The model call would exceed one of the caller's budgets or rate limits. */
  | 'over_limit'
  /** The module is not stored, no provider serves the model, or this process has no classifiers. */
  | 'not_available';

/** Name of the classifier, recorded in evidence. It contains no words from the text [guard.fails-closed]. */
interface ClassifierName {
  /** `wasm:<filter>` or `model:<model>`. */
  readonly classifier: string;
  /** SHA-256 of the module, or the version of the question sent to the model. */
  readonly version: string;
}

export interface Score {
  /** Score from 0 to 1. */
  readonly score: number;
  /** Usage of a model call. */
  readonly provider?: string;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cost_microusd?: number;
}

export type Classification = ClassifierName &
  ((Score & { readonly flagged: boolean }) | { readonly error: ClassifierError });

/** Classifier of a single text. Never rejects. */
export type Classify = (text: string, signal: AbortSignal) => Promise<Classification>;

export interface ClassificationRequest {
  readonly settings: ClassifierSettings;
  readonly snapshot: Pick<Snapshot, 'configuration' | 'identities'>;
  /** Caller against whose limits the model call counts. */
  readonly caller: { readonly tenant: string; readonly key_id: string };
}

/** A scorer with its name. It returns the score of some text. @throws ClassifierFault, or errors of its ports. */
export interface Scorer {
  readonly name: ClassifierName;
  score(text: string, signal: AbortSignal): Promise<Score>;
}

/** Reason for a missing score. */
export class ClassifierFault extends Error {
  override readonly name = 'ClassifierFault';
  readonly reason: ClassifierError;

  constructor(reason: ClassifierError, cause?: unknown) {
    super(`the classifier returned no score: ${reason}`, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
