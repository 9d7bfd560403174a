/** The end of a chat call that the pipeline has recorded, with the headers of its answer: refusals carry the state of the limits too. */
import { GatewayError } from '#core/kernel/errors.ts';

export class RecordedFailure extends GatewayError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(fault: GatewayError, headers: Readonly<Record<string, string>>) {
    super(fault.code, fault.message, fault);
    this.headers = headers;
  }
}

export const headersOf = (fault: GatewayError): Readonly<Record<string, string>> =>
  fault instanceof RecordedFailure ? fault.headers : {};
