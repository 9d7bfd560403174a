/** What views of chat calls do about objects that providers store. */
import type { ContentPolicy } from '#core/models/content-policy/ports.ts';
import type { Answering } from '../answering.ts';
import type { Estimate } from '../call.ts';
import type { AdmittedCall, ApprovedCall, Finished, ScreenedCall } from '../call-stages.ts';
import type { ChatPorts } from '../ports.ts';

/** A chat call after which its provider stores an object, in place of the model's answer. */
export interface StoringRequest {
  readonly estimate: Estimate;
  /** Checks the input. Default: the body is checked like that of other endpoints. @throws GatewayError */
  screen?(ports: ChatPorts, admitted: AdmittedCall, policy: ContentPolicy): Promise<ScreenedCall>;
  /** Sends the approved call to its provider. @throws GatewayError */
  send(ports: ChatPorts, approved: ApprovedCall, policy: ContentPolicy, answering: Answering): Promise<Finished>;
}

export interface StoringHooks {
  readonly storing?: StoringRequest;
  /**
   * Keeps the answer, or has it deleted at its provider, before the answer is sent. Never rejects.
   * @returns the id of the kept answer.
   */
  keepAnswer?(ports: ChatPorts, finished: Finished): Promise<string | undefined>;
}
