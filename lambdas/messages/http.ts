/** Messages in Anthropic's format. */
import { type ChatEndpointPorts, chatEndpoint } from '../middleware/chat-endpoint.ts';

export const createHandler = (ports: ChatEndpointPorts) => chatEndpoint('messages', 'anthropic', ports);
