/** Failure of a chat call that has already been recorded, with its response headers, which include the limits. */
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
