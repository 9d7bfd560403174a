/** View that presents a chat call in another format, converted to a dialect before the pipeline and back after it. */
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Dialect } from '#core/models/dialects/dialect.ts';
import type { ChatReply } from './answering.ts';
import type { ChatRequest } from './call.ts';
import type { FormFiles } from './endpoint-form.ts';
import type { ChatPorts } from './ports.ts';
import type { StoringHooks } from './stored/hooks.ts';
import type { ResponseRetention } from './stored/retention.ts';

export type SseWire = Pick<Dialect, 'encode' | 'terminator'>;

export interface ChatView {
  readonly operation: NonNullable<ChatRequest['operation']>;
  /** True if requests are multipart form data. */
  readonly form?: true | undefined;
  /** Converts a request to the dialect. @throws GatewayError `invalid_request`. */
  open(body: JsonObject, call: OpenedCall): OpenView | Promise<OpenView>;
}

/** Caller of a request, and the data sent with its body. */
export interface OpenedCall {
  readonly ports: Pick<ChatPorts, 'clock' | 'storedObjects' | 'pause'>;
  readonly principal: Principal;
  readonly snapshot: Snapshot;
  readonly files: FormFiles | undefined;
  readonly sessionId: string;
}

export interface OpenView extends StoringHooks {
  /** Request in the dialect. */
  readonly body: JsonObject;
  readonly keep?: ResponseRetention | undefined;
  /** Parameters that the dialect cannot express. */
  readonly leftOut?: readonly string[];
  readonly wire: SseWire;
  answer(reply: ChatReply): ChatReply;
  /** Converts the call's error to this view's format. */
  failed?(fault: GatewayError): Promise<GatewayError>;
}
