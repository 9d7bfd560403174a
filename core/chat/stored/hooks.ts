/** Hooks through which views of chat calls handle objects that providers store. */
import type { ContentPolicy } from '#core/models/content-policy/ports.ts';
import type { AnswerReceiver } from '../answering.ts';
import type { Estimate } from '../call.ts';
import type { AdmittedCall, ApprovedCall, FinishedCall, ScreenedCall } from '../call-stages.ts';
import type { ChatPorts } from '../ports.ts';

/** Chat call that makes the provider store an object instead of having the model answer. */
export interface StoringRequest {
  readonly estimate: Estimate;
  /** Checks the input. By default, the body is checked like that of other endpoints. @throws GatewayError */
  screen?(ports: ChatPorts, admitted: AdmittedCall, policy: ContentPolicy): Promise<ScreenedCall>;
  /** Sends the approved call to its provider. @throws GatewayError */
  send(
    ports: ChatPorts,
    approved: ApprovedCall,
    policy: ContentPolicy,
    answering: AnswerReceiver,
  ): Promise<FinishedCall>;
}

export interface StoringHooks {
  readonly storing?: StoringRequest;
  /**
   * Keeps the answer, or has the provider delete it, before the answer is sent. Never rejects.
   * @returns the id of the kept answer.
   */
  keepAnswer?(ports: ChatPorts, finished: FinishedCall): Promise<string | undefined>;
}
