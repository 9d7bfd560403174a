/** Chat completions, as OpenAI's clients call them. */
import { type ChatEndpointPorts, chatEndpoint } from '../middleware/chat-endpoint.ts';

export const createHandler = (ports: ChatEndpointPorts) => chatEndpoint('chat-completions', 'openai', ports);
