"""The lab: replay recorded sessions through pruning policies, and measure their cost and their loss."""
