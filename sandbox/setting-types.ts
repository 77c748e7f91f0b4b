import { z } from "zod";

export const milliseconds = z.number().int().min(0).max(86_400_000);
export const seconds = z.number().int().min(1).max(31_536_000);
