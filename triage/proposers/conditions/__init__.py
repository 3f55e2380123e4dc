"""Small edits of conditions, made on their trees and printed back."""
