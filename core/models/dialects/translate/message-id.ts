/** Ids of messages: Anthropic's clients expect `msg_…`, whichever provider answered [chat.messages]. */

/** Returns an id that contains the provider's, so that the call can be found at the provider. */
export const messageId = (id: string): string => (id.startsWith('msg_') ? id : `msg_${id.replace(/[^\w-]/g, '_')}`);
