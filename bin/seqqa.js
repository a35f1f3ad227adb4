#!/usr/bin/env node
import { entry } from "../dist/cli/index.js";
await entry();
