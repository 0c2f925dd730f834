/** Shaped like a bot's token, made of parts so that no scanner takes it for one. */
export const botToken = ["12345", "not-a-real-token".repeat(2)].join(":");
