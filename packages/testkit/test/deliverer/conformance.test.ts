import { testDeliverer } from "../../src/index.ts";
import { noteSuite } from "./note-deliverer.ts";

testDeliverer(noteSuite);
