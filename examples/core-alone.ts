import { classifySession, parseSessionKey, redactSecrets, sanitizeAssistantText } from "@trunkline/core";

// Keys: one parser for every shape; ids keep their bytes, structural parts fold to lower case.
console.log(parseSessionKey("Agent:main:Telegram:group:-1001:topic:7"));
console.log(classifySession("agent:main:telegram:group:-1001")); // group

// The view's two text steps, usable on any text that leaves a conversation.
console.log(sanitizeAssistantText("<think>They want the total.</think>The total is 42."));
console.log(redactSecrets(`export API_TOKEN=${"0123456789abcdef".repeat(2)}`));
