/** Message ids: Anthropic's clients expect `msg_…` regardless of the provider [chat.messages]. */

/** Returns an id that contains the provider's id, so that the call can be looked up at the provider. */
export const messageId = (id: string): string => (id.startsWith('msg_') ? id : `msg_${id.replace(/[^\w-]/g, '_')}`);
