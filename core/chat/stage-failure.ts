/** Stage failure that ends the call: the error for its caller, and the facts known so far for the record. */
import type { ChatOutcome } from '#core/contracts/chat.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import type { CallEnding, FinishedCall, KnownCall, Ruling } from './call-stages.ts';

interface EndingOptions {
  readonly ruling?: Ruling | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export class StageFailure extends GatewayError implements FinishedCall {
  readonly known: KnownCall;
  readonly ending: CallEnding;

  constructor(fault: GatewayError, known: KnownCall, outcome: ChatOutcome, options: EndingOptions = {}) {
    super(fault.code, fault.message, fault);
    this.known = known;
    this.ending = { outcome, error: fault.code, ruling: options.ruling, headers: options.headers ?? {} };
  }

  /** Wraps a thrown value. An error outside any stage is a gateway failure, or a refusal of the caller's input. */
  static of(thrown: unknown, known: KnownCall): StageFailure {
    if (thrown instanceof StageFailure) return thrown;
    const fault = asGatewayError(thrown);
    return new StageFailure(fault, known, fault.kind.status >= 500 ? 'failed' : 'refused');
  }
}

/**
 * Runs a stage. If it throws, the call ends with the facts known before the stage, or those that the failure carries.
 */
export async function withKnownCall<T>(known: KnownCall, stage: () => Promise<T>): Promise<T> {
  try {
    return await stage();
  } catch (thrown) {
    throw StageFailure.of(thrown, known);
  }
}
