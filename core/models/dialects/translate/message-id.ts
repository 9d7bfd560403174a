/** Ids of messages: Anthropic's clients expect `msg_…`, whichever provider answered [messages.ids]. */

/** The provider's id stays in it, so that the call is found at the provider. */
export const messageId = (id: string): string => (id.startsWith('msg_') ? id : `msg_${id.replace(/[^\w-]/g, '_')}`);
