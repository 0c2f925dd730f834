// Prints `N passed, N failed` from a file that vitest's json reporter wrote; a missing file is one failure.
import { readFileSync } from "node:fs";

console.log(totals(process.argv[2]));

function totals(file) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, "utf8"));
    // A file that does not load fails without a single failed test.
    const failedFiles = testResults.filter(
      ({ status, assertionResults }) =>
        status === "failed" && !assertionResults.some((test) => test.status === "failed"),
    );
    return `${numPassedTests} passed, ${numFailedTests + failedFiles.length} failed`;
  } catch (error) {
    console.error(`No test results: ${error.message}`);
    return "0 passed, 1 failed";
  }
}
