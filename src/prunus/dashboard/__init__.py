"""The dashboard: pages about savings, conversations and receipts that the proxy serves to a browser.

Nothing in here touches the network: a request comes in as a value, and a page goes out as a value.
"""
