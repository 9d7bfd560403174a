/** A stage that ends the call: the fault its caller gets, and what was known until then, for the record. */
import type { ChatOutcome } from '#core/contracts/chat.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import type { Ending, Finished, KnownCall, Ruling } from './call-stages.ts';

interface EndingOptions {
  readonly ruling?: Ruling | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export class StageFailure extends GatewayError implements Finished {
  readonly known: KnownCall;
  readonly ending: Ending;

  constructor(fault: GatewayError, known: KnownCall, outcome: ChatOutcome, options: EndingOptions = {}) {
    super(fault.code, fault.message, fault);
    this.known = known;
    this.ending = { outcome, error: fault.code, ruling: options.ruling, headers: options.headers ?? {} };
  }

  /** A fault that no stage has named is a failure of the gateway, or a refusal of what the caller sent. */
  static of(thrown: unknown, known: KnownCall): StageFailure {
    if (thrown instanceof StageFailure) return thrown;
    const fault = asGatewayError(thrown);
    return new StageFailure(fault, known, fault.kind.status >= 500 ? 'failed' : 'refused');
  }
}

/** Runs a stage; whatever it throws ends the call with what was known before it, or with what the stage says it has learned. */
export async function knowing<T>(known: KnownCall, stage: () => Promise<T>): Promise<T> {
  try {
    return await stage();
  } catch (thrown) {
    throw StageFailure.of(thrown, known);
  }
}
